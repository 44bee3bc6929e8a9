// The record of a run: probes and reports as lines of text, signals as a waveform.
#pragma once
#include "mode_log.h"
#include "options.h"
#include "profile.h"
#include "waveform.h"

#include <bitset>
#include <cstdio>
#include <memory>
#include <optional>
#include <unordered_map>

namespace sim {

class Observer {
  public:
    // Throws Failure if a file cannot be written.
    explicit Observer(const Options &options);

    void retired(uint64_t cycle, uint32_t pc, uint32_t satp) {
        if (filter[slot(pc)]) {
            probe(cycle, pc, satp);
        }
        if (modes) {
            modes->retired(pc);
        }
        if (profile) {
            profile->retired(cycle, pc, satp);
        }
    }
    // Called in each cycle in which none does: for what the core waits.
    void waits(uint32_t wait) {
        if (profile) {
            profile->waits(wait);
        }
    }
    void reported(uint64_t cycle, uint32_t value);
    // A store to BEGIN or, if it is the `end`, to END.
    void marked(uint64_t cycle, uint64_t instructions, bool end);
    void signals(uint64_t cycle, const Signals &now) {
        if (waveform) {
            waveform->record(cycle, now);
        }
        if (modes) {
            modes->signals(cycle, now.privilege, now.satp);
        }
    }
    // Throws Failure if not all of the record is in its files: what is cut short looks like a shorter run.
    void finish(uint64_t cycle);

  private:
    static constexpr size_t SLOTS = 1 << 16;
    static size_t slot(uint32_t pc) { return pc / 2 % SLOTS; }
    void probe(uint64_t cycle, uint32_t pc, uint32_t satp);

    struct Close {
        void operator()(FILE *file) const {
            if (file != stderr) {
                std::fclose(file);
            }
        }
    };

    std::unique_ptr<FILE, Close> log;
    std::unique_ptr<Waveform> waveform;
    std::optional<ModeLog> modes;
    std::optional<Profile> profile;
    std::unordered_map<uint32_t, std::string> names;
    bool marks;
    std::bitset<SLOTS> filter; // false: no probe here; saves the look-up in nearly every cycle
};

} // namespace sim
