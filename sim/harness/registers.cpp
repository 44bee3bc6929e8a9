// The board's own devices, a page each: console, system, GPIO, meter, interrupts by software,
// milliseconds.
#include "board.h"

namespace sim {
namespace {

enum Register : uint32_t {
    CONSOLE = 0x0000,      // write: a byte to standard output; read: takes the one received
    CONSOLE_STATE = 0x0004,    // bit 0: a byte is received
    CONSOLE_CONTROL = 0x0008,  // write: bit 0: takes bytes from standard input

    EXIT = 0x1000,         // write: ends the run with that code (its lowest 8 bits)
    RAM_SIZE = 0x1004,     // bytes
    RESET = 0x1008,        // write: resets the board, as if its power had gone

    GPIO = 0x2000,         // the 32 pins
    GPIO_SET = 0x2004,     // write: pins that become 1
    GPIO_CLEAR = 0x2008,   // write: pins that become 0

    CYCLE_LOW = 0x3000,    // cycles since reset
    CYCLE_HIGH = 0x3004,
    RETIRED_LOW = 0x3008,  // instructions retired since reset
    RETIRED_HIGH = 0x300C,
    REPORT = 0x3010,       // write: a value into log and waveform
    BEGIN = 0x3800,        // write: marks where something that is measured begins
    END = 0x3804,          // write: and where it ends

    RAISE = 0x4000,        // write: interrupt lines to raise, a bit each
    RAISED_LOW = 0x4008,   // the cycle of the last raise, by whomever
    RAISED_HIGH = 0x400C,

    MILLISECONDS_LOW = 0x5000,  // since reset, at 100 MHz
    MILLISECONDS_HIGH = 0x5004,
};

constexpr uint64_t CYCLES_PER_MILLISECOND = 100'000;

} // namespace

uint32_t Board::read_register(uint32_t offset) {
    switch (offset) {
    case CONSOLE: return receiver.take();
    case CONSOLE_STATE: return receiver.full();
    case REPORT: return wires.report;
    case GPIO: return wires.gpio;
    case CYCLE_LOW: return uint32_t(now);
    case CYCLE_HIGH: return uint32_t(now >> 32);
    case RETIRED_LOW: return uint32_t(retired);
    case RETIRED_HIGH: return uint32_t(retired >> 32);
    case RAISED_LOW: return uint32_t(interrupts.last_raise());
    case RAISED_HIGH: return uint32_t(interrupts.last_raise() >> 32);
    case MILLISECONDS_LOW: return uint32_t(now / CYCLES_PER_MILLISECOND);
    case MILLISECONDS_HIGH: return uint32_t(now / CYCLES_PER_MILLISECOND >> 32);
    case RAM_SIZE: return uint32_t(ram.size());
    default: return 0;
    }
}

void Board::write_register(uint32_t offset, uint32_t value) {
    switch (offset) {
    case CONSOLE: std::putchar(int(value & 0xFF)); break;
    case CONSOLE_CONTROL: receiver.listen((value & 1) != 0, now); break;
    case EXIT:
        exited = true;
        code = int(value & 0xFF);
        break;
    case RESET: reset = true; break;
    case REPORT:
        wires.report = value;
        observer.reported(now, value);
        break;
    case BEGIN: observer.marked(now, retired, false); break;
    case END: observer.marked(now, retired, true); break;
    case GPIO: wires.gpio = value; break;
    case GPIO_SET: wires.gpio |= value; break;
    case GPIO_CLEAR: wires.gpio &= ~value; break;
    case RAISE: interrupts.raise(value, now); break;
    default: break;
    }
}

} // namespace sim
