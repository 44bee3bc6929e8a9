// A line of the log for each stretch of a run in one mode: one privilege, one address space.
#pragma once
#include <cstdint>
#include <cstdio>

namespace sim {

class ModeLog {
  public:
    explicit ModeLog(FILE *log) : log(log) {}

    // Called in each cycle in which an instruction retires, before `signals`.
    void retired(uint32_t pc) {
        if (!entered) {
            entered = true;
            write(pc);
        }
        last = pc;
    }

    // Called in each cycle.
    void signals(uint64_t cycle, uint32_t now_privilege, uint32_t now_satp) {
        if (now_privilege != privilege || now_satp != satp) {
            change(cycle, now_privilege, now_satp);
        }
    }

  private:
    void change(uint64_t cycle, uint32_t now_privilege, uint32_t now_satp);
    void write(uint32_t to) const;

    FILE *log;
    uint64_t since = 0;
    uint32_t privilege = 3;
    uint32_t satp = 0;
    uint32_t from = 0; // what retired last before
    uint32_t last = 0;
    bool entered = false; // the line is written
};

} // namespace sim
