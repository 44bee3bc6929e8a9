#include "observer.h"

#include "failure.h"

namespace sim {

Observer::Observer(const Options &options)
    : log(options.log.empty() ? stderr : std::fopen(options.log.c_str(), "w")), marks(options.marks) {
    if (!log) {
        throw Failure("cannot write the log " + options.log);
    }
    if (!options.vcd.empty()) {
        waveform = std::make_unique<Waveform>(options.vcd);
    }
    if (options.modes) {
        modes.emplace(log.get());
    }
    if (options.profile) {
        profile.emplace(log.get());
    }
    for (const auto &probe : options.probes) {
        names[probe.address] = probe.name;
        filter[slot(probe.address)] = true;
    }
}

void Observer::probe(uint64_t cycle, uint32_t pc, uint32_t satp) {
    const auto found = names.find(pc);
    if (found != names.end()) {
        std::fprintf(log.get(), "probe %llu %s satp=0x%08x\n", (unsigned long long)cycle,
                     found->second.c_str(), satp);
    }
}

void Observer::reported(uint64_t cycle, uint32_t value) {
    std::fprintf(log.get(), "report %llu 0x%08x\n", (unsigned long long)cycle, value);
}

void Observer::marked(uint64_t cycle, uint64_t instructions, bool end) {
    if (marks) {
        std::fprintf(log.get(), "mark %llu %llu %s\n", (unsigned long long)cycle,
                     (unsigned long long)instructions, end ? "end" : "begin");
    }
    if (profile && end) {
        profile->end();
    } else if (profile) {
        profile->begin(cycle);
    }
}

void Observer::finish(uint64_t cycle) {
    if (std::fflush(log.get()) != 0 || std::ferror(log.get()) != 0) {
        throw Failure("the log cannot be written to its end");
    }
    if (waveform) {
        waveform->finish(cycle);
    }
}

} // namespace sim
