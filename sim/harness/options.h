// The command line.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace sim {

// Cycles, request and answer included. One is impossible but for the next word of a burst.
struct Latency {
    unsigned first = 2;
    unsigned next = 1;
    unsigned write = 2;
};

struct ProbePoint {
    uint32_t address;
    std::string name;
};

// An interrupt line that is raised at pseudo-random times: repeatable, because seeded.
struct RandomLine {
    unsigned line;
    uint64_t seed;
    uint64_t shortest; // cycles between two raises
    uint64_t longest;
};

struct Options {
    std::string program;
    Latency ram;
    unsigned ram_ports = 2;
    uint32_t ram_size = 16u << 20; // bytes
    uint32_t l2_size = 0;          // bytes; 0: none
    uint64_t max_cycles = 100'000'000;
    uint64_t until = UINT64_MAX; // in place of max_cycles, if it is less
    uint64_t spent = 0;          // of max_cycles, before the board was reset
    uint64_t timer_divider = 1; // cycles a tick of mtime
    std::vector<ProbePoint> probes;
    std::vector<std::string> probe_symbols; // NAME or NAME=LABEL, resolved in the program
    std::vector<RandomLine> random_lines;
    std::string vcd;
    std::string log;
    std::string memory;
    std::string registers;
    bool stats = false;
    bool modes = false;
    bool marks = false;
    bool profile = false;
};

// Throws Failure with one line that says what is wrong. Prints the help and exits on --help.
Options parse_options(int count, char **words, const char *core);

} // namespace sim
