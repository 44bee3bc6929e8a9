// A mistake of the caller's: one line, then exit with USAGE.
#pragma once
#include <stdexcept>
#include <string>

namespace sim {

// Exit codes of the simulator itself; every other one is the program's.
constexpr int EXIT_USAGE = 64;   // wrong option, or a program that does not fit
constexpr int EXIT_LIMIT = 124;  // stopped at --max-cycles, as `timeout` does

struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

} // namespace sim
