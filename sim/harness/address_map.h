// Where everything lives, the same on every board. README.md prints this table.
//
// RAM begins where QEMU's `virt` has it, so that one linker script fits all RISC-V boards. The
// devices are at 0xF..., which VexRiscv does not cache. Timer and interrupt controller have the
// layouts of SiFive's CLINT and PLIC, at virt's addresses plus 0xF000_0000.
#pragma once
#include <cstdint>

namespace sim::address_map {

constexpr uint32_t ROM = 0x0000'1000;
constexpr uint32_t ROM_SIZE = 0x0000'1000;
// Both cores leave reset here; Ibex fixes the 0x80.
constexpr uint32_t RESET = ROM + 0x80;

constexpr uint32_t RAM = 0x8000'0000;

// The board's own devices, a page each, so that every one can be given to a program by itself.
constexpr uint32_t REGISTERS = 0xF000'0000;
constexpr uint32_t REGISTERS_SIZE = 0x6000;
constexpr uint32_t TIMER = 0xF200'0000;
constexpr uint32_t TIMER_SIZE = 0x1'0000;
constexpr uint32_t INTERRUPTS = 0xFC00'0000;
constexpr uint32_t INTERRUPTS_SIZE = 0x40'0000;

} // namespace sim::address_map
