// 31 interrupt lines with the register layout of SiFive's PLIC, for one hart's machine mode.
// A line that is raised stays pending until it is claimed; a raise while it is being served is
// kept for afterwards. A higher priority wins, then the lower number.
#pragma once
#include <array>
#include <cstdint>

namespace sim {

class InterruptController {
  public:
    bool interrupt() const { return asserted; }
    uint64_t last_raise() const { return raised_at; }

    void raise(uint32_t lines, uint64_t cycle) {
        pending |= lines & ~1u;
        raised_at = cycle;
        update();
    }

    uint32_t read(uint32_t offset) {
        if (offset < 4 * LINES) {
            return priority[offset / 4];
        }
        switch (offset) {
        case PENDING: return pending;
        case ENABLE: return enabled;
        case THRESHOLD: return threshold;
        case CLAIM: return claim();
        default: return 0;
        }
    }

    void write(uint32_t offset, uint32_t value) {
        if (offset >= 4 && offset < 4 * LINES) {
            priority[offset / 4] = value & 7;
        } else if (offset == ENABLE) {
            enabled = value & ~1u;
        } else if (offset == THRESHOLD) {
            threshold = value & 7;
        } else if (offset == CLAIM && value < LINES) {
            served &= ~(1u << value);
        }
        update();
    }

  private:
    static constexpr uint32_t LINES = 32;
    enum : uint32_t {
        PENDING = 0x1000,
        ENABLE = 0x2000,
        THRESHOLD = 0x20'0000,
        CLAIM = 0x20'0004
    };

    uint32_t claim() {
        const uint32_t line = best();
        pending &= ~(1u << line);
        served |= line == 0 ? 0 : 1u << line;
        update();
        return line;
    }

    // 0: none.
    uint32_t best() const {
        uint32_t line = 0;
        for (uint32_t other = 1; other < LINES; other++) {
            const bool eligible = (pending & enabled & ~served) >> other & 1;
            if (eligible && priority[other] > priority[line]) {
                line = other;
            }
        }
        return line;
    }

    void update() {
        const uint32_t line = best();
        asserted = line != 0 && priority[line] > threshold;
    }

    std::array<uint32_t, LINES> priority{}; // of line 0: always 0, so that `best` starts there
    uint32_t pending = 0;
    uint32_t enabled = 0;
    uint32_t served = 0;
    uint32_t threshold = 0;
    uint64_t raised_at = 0;
    bool asserted = false;
};

} // namespace sim
