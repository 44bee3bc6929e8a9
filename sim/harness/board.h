// Everything around the core: ROM, RAM, devices, time. A core's own file drives it, once a cycle.
#pragma once
#include "address_map.h"
#include "interrupt_controller.h"
#include "machine_timer.h"
#include "memory_timing.h"
#include "observer.h"
#include "program.h"
#include "random_lines.h"
#include "receiver.h"

#include <algorithm>
#include <csignal>

namespace sim {

// What the core shows of itself in a cycle.
struct CoreState {
    bool retired;
    uint32_t pc; // of the retired instruction
    uint32_t privilege;
    uint32_t satp;
    uint32_t wait; // for what, if nothing retired: one of Wait
};

struct Answer {
    uint32_t word;
    bool mapped; // false: nothing is at that address
};

class Board {
  public:
    Board(const Options &options, const Program &program);

    // Ends cycle `cycle()`: takes note of what the core did in it, and moves time on.
    void end_cycle(const CoreState &core);

    // The core waits for an interrupt and does nothing else: moves time on to the cycle in which
    // there can be one. What the core would have done meanwhile is nothing, so that only the
    // simulation is shorter. (A counter of its own stands still, as with its clock off.)
    void skip_sleep();

    // Accesses of whole aligned words; `enable` has a bit for each byte that is written. A device
    // answers as of the current cycle.
    Answer read(uint32_t address, bool fetch);
    bool write(uint32_t address, uint32_t enable, uint32_t value);
    // The cycle in which the answer is on the bus; see MemoryTiming.
    uint64_t answer_at(uint32_t address, bool write, bool continues);

    uint64_t cycle() const { return now; }
    uint64_t instructions() const { return retired; }
    uint32_t last_pc() const { return pc; }
    const Signals &signals() const { return wires; }
    bool software_interrupt() const { return timer.software_interrupt(); }
    bool timer_interrupt() const { return timer.timer_interrupt(now); }
    bool external_interrupt() const { return interrupts.interrupt(); }
    bool stopped() const {
        return exited || reset || now >= end() || now >= until || interrupted;
    }
    // Of a board that has not ended itself.
    const char *why_it_stopped() const {
        return interrupted ? "interrupted" : now >= until ? "--until" : "--max-cycles";
    }
    bool has_exited() const { return exited; }
    // And that goes on behind a reset.
    bool is_reset() const { return reset && now < end() && now < until; }
    // Cycles that count for the limit, those before it was reset among them.
    uint64_t spent() const {
        const uint64_t last = receiver.last_byte();
        return last == 0 ? spent_before + now : now - last;
    }
    // Somebody has pressed Ctrl-C.
    static inline volatile std::sig_atomic_t interrupted = 0;
    int exit_code() const { return code; }
    Observer &record() { return observer; }
    const std::vector<uint8_t> &memory() const { return ram; }

  private:
    // The cycle in which it stops. Whoever types may take time to do so: the limit counts from the last byte.
    uint64_t end() const {
        const uint64_t last = receiver.last_byte();
        return last == 0 ? limit - std::min(spent_before, limit)
                         : last + std::min(limit, UINT64_MAX - last);
    }
    bool in_ram(uint32_t address) const { return address - address_map::RAM < ram.size(); }
    uint32_t read_device(uint32_t address);
    uint32_t read_register(uint32_t offset);
    void write_register(uint32_t offset, uint32_t value);
    void load(const Program &program);
    void write_boot_code(uint32_t entry);

    std::vector<uint8_t> ram;
    std::vector<uint8_t> rom;
    MemoryTiming timing;
    MachineTimer timer;
    InterruptController interrupts;
    RandomLines random_lines;
    Receiver receiver;
    Observer observer;
    Signals wires;
    uint64_t now = 0;
    uint64_t limit;
    uint64_t until;
    uint64_t spent_before;
    uint64_t retired = 0;
    uint32_t pc = address_map::RESET;
    bool exited = false;
    bool reset = false;
    int code = 0;
};

} // namespace sim
