// What a core's folder provides to the harness.
#pragma once
#include "board.h"

namespace sim {

extern const char *const CORE_NAME;       // of the program, for its messages
extern const char *const CORE_EXTENSIONS; // letters of the instruction set, as "imc"

// Runs until the board says stop.
void run(Board &board);

} // namespace sim
