// What a core's folder provides to the harness.
#pragma once
#include "board.h"

#include <array>

namespace sim {

extern const char *const CORE_NAME;       // of the program, for its messages
extern const char *const CORE_EXTENSIONS; // letters of the instruction set, as "imc"

// x0 to x31, and the address of the first instruction that has not retired.
using Registers = std::array<uint32_t, 33>;

// Runs until the board says stop. Returns what is in the core then.
Registers run(Board &board);

} // namespace sim
