#include "board.h"

#include "failure.h"

#include <algorithm>
#include <cstring>

namespace sim {
namespace {

namespace map = address_map;

bool inside(uint32_t address, uint32_t start, uint32_t size) { return address - start < size; }

bool is_device(uint32_t address) {
    return inside(address, map::REGISTERS, map::REGISTERS_SIZE) ||
           inside(address, map::TIMER, map::TIMER_SIZE) ||
           inside(address, map::INTERRUPTS, map::INTERRUPTS_SIZE);
}

// Devices are registers beside the core: they answer in the cycle after the request.
constexpr unsigned DEVICE_WAIT = 1;

std::string hex(uint32_t value) {
    char text[16];
    std::snprintf(text, sizeof text, "0x%08x", value);
    return text;
}

} // namespace

Board::Board(const Options &options, const Program &program)
    : ram(options.ram_size), rom(map::ROM_SIZE), timing(options), timer(options.timer_divider),
      random_lines(options.random_lines), observer(options),
      limit(options.until == UINT64_MAX ? options.max_cycles : UINT64_MAX), until(options.until),
      spent_before(options.spent) {
    load(program);
    write_boot_code(program.entry);
}

void Board::load(const Program &program) {
    for (const auto &segment : program.segments) {
        const uint64_t start = uint64_t(segment.address) - map::RAM;
        if (segment.address < map::RAM || start + segment.memory_size > ram.size()) {
            throw Failure("the program does not fit: it needs " + hex(segment.address) + " to " +
                          hex(uint32_t(segment.address + segment.memory_size - 1)) +
                          ", the RAM is " + hex(map::RAM) + " to " +
                          hex(uint32_t(map::RAM + ram.size() - 1)) + " (--ram-size)");
        }
        std::memcpy(&ram[start], segment.bytes.data(), segment.bytes.size());
    }
}

// `lui t0, %hi(entry); jalr x0, %lo(entry)(t0)`: the program may begin anywhere.
void Board::write_boot_code(uint32_t entry) {
    const uint32_t upper = (entry + 0x800) & 0xFFFF'F000;
    const uint32_t code[] = {upper | 0x2B7, (entry - upper) << 20 | 0x28067};
    std::memcpy(&rom[map::RESET - map::ROM], code, sizeof code);
}

void Board::end_cycle(const CoreState &core) {
    if (core.retired) {
        retired++;
        pc = core.pc;
        observer.retired(now, core.pc, core.satp);
    } else {
        observer.waits(core.wait);
    }
    wires.privilege = core.privilege;
    wires.satp = core.satp;
    wires.external_interrupt = interrupts.interrupt();
    wires.timer_interrupt = timer.timer_interrupt(now);
    observer.signals(now, wires);
    now++;
    random_lines.advance(now, interrupts);
    receiver.advance(now, interrupts);
}

void Board::skip_sleep() {
    // Out of reset a core looks asleep for a moment.
    if (retired == 0 || software_interrupt() || timer_interrupt() || external_interrupt()) {
        return;
    }
    const uint64_t end = this->end();
    const uint64_t raise = std::min({timer.due(), random_lines.next_raise(), until});
    if (raise >= end) {
        // Nothing but what is typed can wake it: time stands still until then.
        receiver.wait();
    }
    now = std::max(now, std::min({raise, receiver.due(), end}));
    random_lines.advance(now, interrupts);
    receiver.advance(now, interrupts);
}

Answer Board::read(uint32_t address, bool fetch) {
    uint32_t word = 0;
    if (in_ram(address)) {
        std::memcpy(&word, &ram[address - map::RAM], sizeof word);
    } else if (inside(address, map::ROM, map::ROM_SIZE)) {
        std::memcpy(&word, &rom[address - map::ROM], sizeof word);
    } else if (!fetch && is_device(address)) {
        word = read_device(address);
    } else {
        return {0, false};
    }
    return {word, true};
}

bool Board::write(uint32_t address, uint32_t enable, uint32_t value) {
    if (in_ram(address)) {
        uint8_t *bytes = &ram[address - map::RAM];
        for (unsigned i = 0; i < 4; i++) {
            if ((enable >> i & 1) != 0) {
                bytes[i] = uint8_t(value >> 8 * i);
            }
        }
    } else if (inside(address, map::REGISTERS, map::REGISTERS_SIZE)) {
        write_register(address - map::REGISTERS, value);
    } else if (inside(address, map::TIMER, map::TIMER_SIZE)) {
        timer.write(address - map::TIMER, value, now);
    } else if (inside(address, map::INTERRUPTS, map::INTERRUPTS_SIZE)) {
        interrupts.write(address - map::INTERRUPTS, value);
    } else {
        return false;
    }
    return true;
}

uint64_t Board::answer_at(uint32_t address, bool write, bool continues) {
    return in_ram(address) ? timing.answer_at(now, address, write, continues) : now + DEVICE_WAIT;
}

uint32_t Board::read_device(uint32_t address) {
    if (inside(address, map::REGISTERS, map::REGISTERS_SIZE)) {
        return read_register(address - map::REGISTERS);
    }
    if (inside(address, map::TIMER, map::TIMER_SIZE)) {
        return timer.read(address - map::TIMER, now);
    }
    return interrupts.read(address - map::INTERRUPTS);
}

} // namespace sim
