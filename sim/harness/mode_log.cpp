#include "mode_log.h"

namespace sim {

void ModeLog::change(uint64_t cycle, uint32_t now_privilege, uint32_t now_satp) {
    // A mode in which nothing retired has a line, too: it took its cycles.
    if (!entered) {
        write(last);
    }
    since = cycle;
    privilege = now_privilege;
    satp = now_satp;
    from = last;
    entered = false;
}

void ModeLog::write(uint32_t to) const {
    std::fprintf(log, "mode %llu %u satp=0x%08x from=0x%08x to=0x%08x\n",
                 (unsigned long long)since, privilege, satp, from, to);
}

} // namespace sim
