// How long the RAM takes. Data never depend on it: it only counts cycles.
#pragma once
#include "options.h"
#include "second_level_cache.h"

#include <optional>

namespace sim {

class MemoryTiming {
  public:
    explicit MemoryTiming(const Options &options)
        : ram(options.ram), shared(options.ram_ports == 1) {
        if (options.l2_size != 0) {
            cache.emplace(options.l2_size);
        }
    }

    // The cycle in which the answer to a request of cycle `now` is on the bus. `continues`: the
    // address follows that of the port's last read, without a pause.
    uint64_t answer_at(uint64_t now, uint32_t address, bool write, bool continues) {
        // A single port serves one request after the other; the last's answer ends its turn.
        const bool waits = shared && free_at > now;
        const uint64_t start = waits ? free_at : now;
        const uint64_t answer = start + wait(address, write, continues && !waits);
        free_at = answer;
        return answer;
    }

  private:
    // Cycles between request and answer. The cycle of a first request counts, so it is one less
    // than the latency; the next word of a burst needs no request of its own.
    unsigned wait(uint32_t address, bool write, bool continues) {
        if (cache) {
            return cache->miss_cycles(address, write, ram) + of(CACHE_HIT, write, continues);
        }
        return of(ram, write, continues);
    }

    static unsigned of(const Latency &latency, bool write, bool continues) {
        return write ? latency.write - 1 : continues ? latency.next : latency.first - 1;
    }

    static constexpr Latency CACHE_HIT{3, 1, 2};
    Latency ram;
    bool shared;
    uint64_t free_at = 0;
    std::optional<SecondLevelCache> cache;
};

} // namespace sim
