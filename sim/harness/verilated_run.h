// The clock: the same loop for each core's verilated top.
#pragma once
#include "core.h"

namespace sim {

template <class Top> Registers run_verilated(Top &top, Board &board) {
    const auto tick = [&top] {
        top.clk = 0;
        top.eval();
        top.clk = 1;
        top.eval();
    };
    constexpr unsigned RESET_CYCLES = 4;
    top.reset = 1;
    for (unsigned i = 0; i < RESET_CYCLES; i++) {
        tick();
    }
    top.reset = 0;
    while (!board.stopped()) {
        tick();
    }
    // Which module is asked.
    svSetScope(svGetScopeFromName("TOP.board"));
    Registers registers;
    for (unsigned i = 0; i < 32; i++) {
        registers[i] = core_register(i);
    }
    registers[32] = core_pc();
    top.final();
    return registers;
}

} // namespace sim
