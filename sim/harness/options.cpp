#include "options.h"

#include "failure.h"

#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <sstream>

namespace sim {
namespace {

constexpr const char *HELP =
    R"(usage: %s [OPTION]... PROGRAM

Runs PROGRAM (an ELF file, or raw bytes for the start of RAM) on the core, cycle by cycle.
Exits with the code that the program writes to EXIT.

  --ram-latency F,N,W   cycles of a first word, a next word of a burst, a write; request and
                        answer included (default 2,1,2: block RAM; slow SRAM: 8,5,7)
  --ram-ports N         1: instructions and data share one port; 2: a port each (default 2)
  --ram-size KIB        size of the RAM (default 16384)
  --l2 KIB              puts a write-back cache (4 ways, 32-byte lines, latency 3,1,2) before RAM
  --timer-divider N     cycles a tick of mtime (default 1)
  --irq LINE,SEED,A,B   raises interrupt line LINE (1 to 31) at pseudo-random times, A to B
                        cycles apart; the same seed gives the same times
  --probe WHERE[=NAME]  logs each cycle in which the instruction at WHERE (an address, or a
                        symbol of PROGRAM) retires; costs the program nothing
  --modes               logs each change of privilege or satp, and from where to where it led
  --marks               logs each store to BEGIN and END, with the instructions retired before it
  --profile             logs, at each store to END, the instructions that retired since the one to
                        BEGIN, each with how often, and how many cycles it took in all
  --log FILE            probes, REPORT, modes, marks and profiles go there, a line each (default: standard error)
  --vcd FILE            waveform of GPIO, REPORT, interrupts, satp and privilege
  --memory FILE         the RAM as it is when the run ends
  --registers FILE      x0 to x31 as they are then, and the address of the first instruction that
                        has not retired: 33 words, the lowest byte first
  --max-cycles N        stops so long after the start, or after the last byte of standard
                        input, saying where the program stood, with exit code 124
                        (default 100000000)
  --until N             stops in cycle N since the start in place of that, whatever is
                        typed, and however often the board is reset
  --stats               prints cycles, instructions and the simulator's speed at the end
)";

[[noreturn]] void wrong(const std::string &option, const std::string &value, const char *expected) {
    throw Failure(option + " '" + value + "': " + expected);
}

std::optional<uint64_t> number_in(const std::string &text, uint64_t least, uint64_t most) {
    char *end = nullptr;
    errno = 0;
    const uint64_t result = std::strtoull(text.c_str(), &end, 0);
    const bool complete = !text.empty() && std::isdigit(text[0]) && *end == '\0' && errno == 0;
    return complete && result >= least && result <= most ? std::optional(result) : std::nullopt;
}

uint64_t number(const std::string &option, const std::string &value, uint64_t least, uint64_t most,
                const char *expected) {
    const auto result = number_in(value, least, most);
    if (!result) {
        wrong(option, value, expected);
    }
    return *result;
}

std::vector<std::string> fields(const std::string &value) {
    std::vector<std::string> result;
    std::stringstream stream(value + ",");
    for (std::string field; std::getline(stream, field, ',');) {
        result.push_back(field);
    }
    return result;
}

Latency latency(const std::string &option, const std::string &value) {
    constexpr const char *EXPECTED = "expected three numbers FIRST,NEXT,WRITE of cycles; first "
                                     "and write 2 to 1000, next 1 to 1000, as in 2,1,2";
    const auto parts = fields(value);
    if (parts.size() != 3) {
        wrong(option, value, EXPECTED);
    }
    const auto first = number_in(parts[0], 2, 1000);
    const auto next = number_in(parts[1], 1, 1000);
    const auto write = number_in(parts[2], 2, 1000);
    if (!first || !next || !write) {
        wrong(option, value, EXPECTED);
    }
    return {unsigned(*first), unsigned(*next), unsigned(*write)};
}

RandomLine random_line(const std::string &option, const std::string &value) {
    constexpr const char *EXPECTED = "expected LINE,SEED,SHORTEST,LONGEST with a line from 1 to 31 "
                                     "and cycles 1 <= SHORTEST <= LONGEST, as in 5,42,1000,9000";
    const auto parts = fields(value);
    if (parts.size() != 4) {
        wrong(option, value, EXPECTED);
    }
    const auto line = number_in(parts[0], 1, 31);
    const auto seed = number_in(parts[1], 0, UINT64_MAX);
    const auto shortest = number_in(parts[2], 1, UINT64_MAX / 2);
    const auto longest = number_in(parts[3], 1, UINT64_MAX / 2);
    if (!line || !seed || !shortest || !longest || *shortest > *longest) {
        wrong(option, value, EXPECTED);
    }
    return {unsigned(*line), *seed, *shortest, *longest};
}

uint32_t l2_size(const std::string &option, const std::string &value) {
    constexpr const char *EXPECTED = "expected KiB, a power of two from 1 to 4096";
    const auto size = number(option, value, 1, 4096, EXPECTED);
    if ((size & (size - 1)) != 0) {
        wrong(option, value, EXPECTED);
    }
    return uint32_t(size) << 10;
}

void probe(Options &options, const std::string &option, const std::string &value) {
    char *end = nullptr;
    const auto address = std::strtoull(value.c_str(), &end, 0);
    const bool is_address = end != value.c_str() && (*end == '\0' || *end == '=');
    if (!is_address) {
        options.probe_symbols.push_back(value);
    } else if (address > UINT32_MAX || (address & 1) != 0) {
        wrong(option, value, "expected an even address of 32 bits");
    } else {
        const std::string name = *end == '=' ? end + 1 : value;
        options.probes.push_back({uint32_t(address), name});
    }
}

using Setter = void (*)(Options &options, const std::string &option, const std::string &value);

const std::map<std::string, Setter> SETTERS = {
    {"--ram-latency", [](auto &options, auto &name, auto &value) {
         options.ram = latency(name, value);
     }},
    {"--ram-ports", [](auto &options, auto &name, auto &value) {
         options.ram_ports = unsigned(number(name, value, 1, 2, "expected 1 or 2"));
     }},
    {"--ram-size", [](auto &options, auto &name, auto &value) {
         options.ram_size =
             uint32_t(number(name, value, 1, 1u << 20, "expected KiB, from 1 to 1048576")) << 10;
     }},
    {"--l2", [](auto &options, auto &name, auto &value) {
         options.l2_size = l2_size(name, value);
     }},
    {"--timer-divider", [](auto &options, auto &name, auto &value) {
         options.timer_divider = number(name, value, 1, 1'000'000, "expected 1 to 1000000");
     }},
    {"--irq", [](auto &options, auto &name, auto &value) {
         options.random_lines.push_back(random_line(name, value));
     }},
    {"--probe", probe},
    {"--log", [](auto &options, auto &, auto &value) { options.log = value; }},
    {"--memory", [](auto &options, auto &, auto &value) { options.memory = value; }},
    {"--registers", [](auto &options, auto &, auto &value) { options.registers = value; }},
    {"--vcd", [](auto &options, auto &, auto &value) { options.vcd = value; }},
    {"--max-cycles", [](auto &options, auto &name, auto &value) {
         options.max_cycles = number(name, value, 1, UINT64_MAX, "expected at least 1");
     }},
    {"--until", [](auto &options, auto &name, auto &value) {
         options.until = number(name, value, 1, UINT64_MAX, "expected at least 1");
     }},
};

void set_program(Options &options, const std::string &path) {
    if (!options.program.empty()) {
        throw Failure("one program only, but there are " + options.program + " and " + path);
    }
    options.program = path;
}

} // namespace

Options parse_options(int count, char **words, const char *core) {
    Options options;
    for (int i = 1; i < count; i++) {
        const std::string word = words[i];
        const auto setter = SETTERS.find(word);
        if (word == "--help") {
            std::printf(HELP, core);
            std::exit(0);
        } else if (word == "--stats") {
            options.stats = true;
        } else if (word == "--modes") {
            options.modes = true;
        } else if (word == "--marks") {
            options.marks = true;
        } else if (word == "--profile") {
            options.profile = true;
        } else if (setter != SETTERS.end()) {
            if (++i == count) {
                throw Failure(word + " needs a value; see --help");
            }
            setter->second(options, word, words[i]);
        } else if (word.size() > 1 && word[0] == '-') {
            throw Failure("unknown option " + word + "; see --help");
        } else {
            set_program(options, word);
        }
    }
    if (options.program.empty()) {
        throw Failure("no program; see --help");
    }
    return options;
}

} // namespace sim
