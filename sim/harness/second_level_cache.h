// Tags of a cache between the core and the RAM: 4 ways, 32-byte lines, least recently used goes,
// written back. It holds no data, because the RAM behind it always has them: only time differs.
#pragma once
#include "options.h"

#include <array>

namespace sim {

class SecondLevelCache {
  public:
    explicit SecondLevelCache(uint32_t bytes) : sets(bytes / (LINE * WAYS)) {}

    // Cycles that a miss adds: the line is fetched, and the one it replaces written if changed.
    unsigned miss_cycles(uint32_t address, bool write, const Latency &ram) {
        const uint32_t line = address / LINE;
        auto &set = sets[line % sets.size()];
        Way *oldest = &set[0];
        for (auto &way : set) {
            if (way.valid && way.line == line) {
                way.used = ++clock;
                way.changed |= write;
                return 0;
            }
            if (way.used < oldest->used) {
                oldest = &way;
            }
        }
        const unsigned beats = LINE / 4 - 1;
        unsigned cycles = ram.first + beats * ram.next;
        if (oldest->changed) {
            cycles += ram.write + beats * ram.next;
        }
        *oldest = {line, ++clock, true, write};
        return cycles;
    }

  private:
    static constexpr uint32_t LINE = 32;
    static constexpr uint32_t WAYS = 4;

    struct Way {
        uint32_t line = 0;
        uint64_t used = 0;
        bool valid = false;
        bool changed = false;
    };

    std::vector<std::array<Way, WAYS>> sets;
    uint64_t clock = 0;
};

} // namespace sim
