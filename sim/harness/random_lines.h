// Raises interrupt lines at pseudo-random times, the same for the same seed.
#pragma once
#include "interrupt_controller.h"
#include "options.h"

#include <algorithm>

namespace sim {

class RandomLines {
  public:
    explicit RandomLines(const std::vector<RandomLine> &wanted) {
        for (const auto &line : wanted) {
            sources.push_back({line, line.seed, 0});
            sources.back().due = interval(sources.back());
        }
        find_next();
    }

    void advance(uint64_t cycle, InterruptController &controller) {
        if (cycle < next) {
            return;
        }
        for (auto &source : sources) {
            if (cycle >= source.due) {
                controller.raise(1u << source.line.line, cycle);
                source.due = cycle + interval(source);
            }
        }
        find_next();
    }

    // The cycle of the next raise.
    uint64_t next_raise() const { return next; }

  private:
    struct Source {
        RandomLine line;
        uint64_t state;
        uint64_t due;
    };

    // SplitMix64 (Steele, Lea, Flood 2014): any seed will do, 0 too.
    static uint64_t interval(Source &source) {
        uint64_t z = source.state += 0x9E37'79B9'7F4A'7C15;
        z = (z ^ z >> 30) * 0xBF58'476D'1CE4'E5B9;
        z = (z ^ z >> 27) * 0x94D0'49BB'1331'11EB;
        z ^= z >> 31;
        return source.line.shortest + z % (source.line.longest - source.line.shortest + 1);
    }

    void find_next() {
        next = UINT64_MAX;
        for (const auto &source : sources) {
            next = std::min(next, source.due);
        }
    }

    std::vector<Source> sources;
    uint64_t next = UINT64_MAX;
};

} // namespace sim
