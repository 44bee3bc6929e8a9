// The console's receiver: bytes of the simulator's standard input, one at a time, each with an interrupt.
// Until the program listens, standard input is not touched, and a run takes the same cycles whatever is there.
#pragma once
#include "interrupt_controller.h"

#include <cstdint>
#include <poll.h>
#include <unistd.h>

namespace sim {

class Receiver {
  public:
    static constexpr uint32_t LINE = 10;

    void listen(bool wanted, uint64_t cycle) {
        listening = wanted;
        next = wanted && !ended ? cycle + BYTE : UINT64_MAX;
    }
    bool full() const { return occupied; }
    uint32_t take() {
        occupied = false;
        return byte;
    }

    // Looks for a byte, if it is time and there is room for one.
    void advance(uint64_t cycle, InterruptController &controller) {
        if (cycle < next) {
            return;
        }
        next = cycle + BYTE;
        if (!occupied && ready(0)) {
            receive(cycle, controller);
        }
    }

    // The cycle in which it looks again.
    uint64_t due() const { return next; }
    // The cycle in which the last byte came.
    uint64_t last_byte() const { return came; }

    // Waits until standard input has a byte, ends, or a signal comes, if the program listens.
    void wait() const {
        if (listening && !ended && !occupied) {
            ready(-1);
        }
    }

  private:
    // Cycles from one look at standard input to the next, so that no byte comes sooner behind another one.
    static constexpr uint64_t BYTE = 1000;

    static bool ready(int milliseconds) {
        pollfd input{STDIN_FILENO, POLLIN, 0};
        return poll(&input, 1, milliseconds) > 0;
    }

    void receive(uint64_t cycle, InterruptController &controller) {
        if (read(STDIN_FILENO, &byte, 1) == 1) {
            occupied = true;
            came = cycle;
            controller.raise(1u << LINE, cycle);
        } else {
            // The end, or nothing that could be read: nobody types any more.
            ended = true;
            next = UINT64_MAX;
        }
    }

    bool listening = false;
    bool ended = false;
    bool occupied = false;
    uint8_t byte = 0;
    uint64_t next = UINT64_MAX;
    uint64_t came = 0;
};

} // namespace sim
