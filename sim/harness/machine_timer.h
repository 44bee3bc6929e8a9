// mtime, mtimecmp and the software interrupt, laid out as in SiFive's CLINT.
#pragma once
#include <cstdint>

namespace sim {

class MachineTimer {
  public:
    explicit MachineTimer(uint64_t divider) : divider(divider) {}

    bool timer_interrupt(uint64_t cycle) const { return cycle >= due_cycle; }
    // The first cycle with a timer interrupt, as things stand.
    uint64_t due() const { return due_cycle; }
    bool software_interrupt() const { return software; }

    uint32_t read(uint32_t offset, uint64_t cycle) const {
        const uint64_t time = cycle / divider + shift;
        switch (offset) {
        case MSIP: return software;
        case COMPARE_LOW: return uint32_t(compare);
        case COMPARE_HIGH: return uint32_t(compare >> 32);
        case TIME_LOW: return uint32_t(time);
        case TIME_HIGH: return uint32_t(time >> 32);
        default: return 0;
        }
    }

    void write(uint32_t offset, uint32_t value, uint64_t cycle) {
        const uint64_t time = cycle / divider + shift;
        switch (offset) {
        case MSIP: software = value & 1; break;
        case COMPARE_LOW: compare = with_low(compare, value); break;
        case COMPARE_HIGH: compare = with_high(compare, value); break;
        case TIME_LOW: shift += with_low(time, value) - time; break;
        case TIME_HIGH: shift += with_high(time, value) - time; break;
        default: break;
        }
        due_cycle = first_due_cycle(cycle / divider);
    }

  private:
    enum : uint32_t {
        MSIP = 0x0,
        COMPARE_LOW = 0x4000,
        COMPARE_HIGH = 0x4004,
        TIME_LOW = 0xBFF8,
        TIME_HIGH = 0xBFFC
    };

    static uint64_t with_low(uint64_t old, uint32_t low) { return (old & ~0xFFFF'FFFFull) | low; }
    static uint64_t with_high(uint64_t old, uint32_t high) {
        return (old & 0xFFFF'FFFFull) | uint64_t(high) << 32;
    }

    // The first cycle in which mtime is no less than mtimecmp, which is past if it is; `ticks` have passed since the
    // start. Worked out at each write, so that a cycle costs one comparison only.
    uint64_t first_due_cycle(uint64_t ticks) const {
        const uint64_t time = ticks + shift;
        const uint64_t left = compare > time ? compare - time : 0;
        if (left == 0) {
            return 0;
        }
        return left > UINT64_MAX / divider - ticks ? UINT64_MAX : (ticks + left) * divider;
    }

    uint64_t divider;
    uint64_t shift = 0; // what writes to mtime have added, in ticks
    uint64_t compare = UINT64_MAX;
    uint64_t due_cycle = UINT64_MAX;
    bool software = false;
};

} // namespace sim
