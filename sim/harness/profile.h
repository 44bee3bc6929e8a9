// What each instruction took between two marks.
#pragma once
#include <array>
#include <cstdint>
#include <cstdio>
#include <unordered_map>

namespace sim {

// For what a core waits in a cycle in which nothing retires: for nothing outside, for an instruction, for data, or
// for the page tables.
enum Wait : uint32_t { NOTHING, FETCH, DATA, TRANSLATION, WAITS };

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
        for (unsigned wait = 0; wait < WAITS; wait++) {
            it.waited[wait] += waited[wait];
        }
        waited = {};
    }

    // Called in each cycle in which none does.
    void waits(uint32_t wait) { waited[wait]++; }

    void begin(uint64_t cycle) {
        spent.clear();
        waited = {};
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
            std::fprintf(log, "spent satp=0x%08x pc=0x%08x %llu %llu %llu %llu %llu\n",
                         uint32_t(place >> 32), uint32_t(place), (unsigned long long)it.times,
                         (unsigned long long)it.cycles, (unsigned long long)it.waited[FETCH],
                         (unsigned long long)it.waited[DATA],
                         (unsigned long long)it.waited[TRANSLATION]);
        }
    }

  private:
    using Waited = std::array<uint64_t, WAITS>;

    struct Spent {
        uint64_t times = 0;
        uint64_t cycles = 0;
        Waited waited{};
    };

    FILE *log;
    Waited waited{}; // since the last one
    std::unordered_map<uint64_t, Spent> spent;
    uint64_t last = 0;
    bool open = false;
};

} // namespace sim
