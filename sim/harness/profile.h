// What each instruction took between two marks.
#pragma once
#include <cstdint>
#include <cstdio>
#include <unordered_map>

namespace sim {

class Profile {
  public:
    explicit Profile(FILE *log) : log(log) {}

    // Called in each cycle in which an instruction retires: it took all cycles since the one before it.
    void retired(uint64_t cycle, uint32_t pc, uint32_t satp) {
        if (!open) {
            return;
        }
        auto &it = spent[uint64_t(satp) << 32 | pc];
        it.times++;
        it.cycles += cycle - last;
        last = cycle;
    }

    void begin(uint64_t cycle) {
        spent.clear();
        last = cycle;
        open = true;
    }

    // Writes a line for each instruction.
    void end() {
        if (!open) {
            return;
        }
        open = false;
        std::fprintf(log, "window\n");
        for (const auto &[place, it] : spent) {
            std::fprintf(log, "spent satp=0x%08x pc=0x%08x %llu %llu\n", uint32_t(place >> 32),
                         uint32_t(place), (unsigned long long)it.times,
                         (unsigned long long)it.cycles);
        }
    }

  private:
    struct Spent {
        uint64_t times = 0;
        uint64_t cycles = 0;
    };

    FILE *log;
    std::unordered_map<uint64_t, Spent> spent;
    uint64_t last = 0;
    bool open = false;
};

} // namespace sim
