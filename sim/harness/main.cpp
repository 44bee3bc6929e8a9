#include "core.h"
#include "failure.h"
#include "options.h"
#include "program.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>

namespace sim {
namespace {

void resolve_probes(Options &options, const Program &program) {
    for (const auto &wanted : options.probe_symbols) {
        const auto symbol = wanted.substr(0, wanted.find('='));
        const auto name = symbol == wanted ? symbol : wanted.substr(symbol.size() + 1);
        const auto address = program.address_of(symbol);
        if (!address) {
            throw Failure("--probe '" + wanted + "': the program has no symbol " + symbol);
        }
        options.probes.push_back({*address, name});
    }
}

void say_where(const Board &board, uint64_t cycles, const Program &program) {
    static const char *const MODES[] = {"user", "supervisor", "hypervisor", "machine"};
    const auto &wires = board.signals();
    auto place = program.place_of(board.last_pc());
    if (board.last_pc() < address_map::ROM + address_map::ROM_SIZE) {
        place = "the boot ROM or below: a trap before mtvec was set?";
    }
    std::fprintf(stderr, "%s: stopped after %llu cycles (%s) at pc 0x%08x%s%s%s, %s mode, "
                         "satp 0x%08x\n",
                 CORE_NAME, (unsigned long long)cycles,
                 board.why_it_stopped(), board.last_pc(),
                 place.empty() ? "" : " (", place.c_str(), place.empty() ? "" : ")",
                 MODES[wires.privilege & 3], wires.satp);
}

// A file of what the board is at its end, if one is wanted.
class LastFile {
  public:
    LastFile(const char *what, const std::string &path) : what(what) {
        if (!path.empty()) {
            file.open(path, std::ios::binary);
            if (!file) {
                throw Failure(std::string("cannot write the ") + what + " " + path);
            }
        }
    }
    template <class Words> void write(const Words &words) {
        if (file.is_open()) {
            file.write(reinterpret_cast<const char *>(words.data()),
                       std::streamsize(words.size() * sizeof words[0]));
            file.close();
            if (!file) {
                throw Failure(std::string("the ") + what + " cannot be written to its end");
            }
        }
    }

  private:
    const char *what;
    std::ofstream file;
};

// Runs the board until it stops. What is recorded is since its last reset.
Registers simulate(Board &board, const Options &options) {
    const auto start = std::chrono::steady_clock::now();
    const Registers registers = run(board);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;

    board.record().finish(board.cycle());
    std::fflush(stdout);
    if (options.stats) {
        std::fprintf(stderr, "%s: %llu cycles, %llu instructions, %.2f million cycles a second\n",
                     CORE_NAME, (unsigned long long)board.cycle(),
                     (unsigned long long)board.instructions(),
                     double(board.cycle()) / time.count() / 1e6);
    }
    return registers;
}

int simulate(int count, char **words) {
    Options options = parse_options(count, words, CORE_NAME);
    const Program program = load_program(options.program, CORE_EXTENSIONS);
    resolve_probes(options, program);
    LastFile memory("memory", options.memory), kept("registers", options.registers);

    // Somebody may be waiting for a word without the end of its line.
    std::setvbuf(stdout, nullptr, _IONBF, 0);
    std::signal(SIGINT, [](int) { Board::interrupted = 1; });
    uint64_t before = 0; // cycles until the last reset
    for (;;) {
        Board board(options, program);
        const Registers registers = simulate(board, options);
        if (board.is_reset()) {
            before += board.cycle();
            options.spent = board.spent();
            options.until -= options.until == UINT64_MAX ? 0 : board.cycle();
            continue;
        }
        memory.write(board.memory());
        kept.write(registers);
        if (!board.has_exited()) {
            say_where(board, before + board.cycle(), program);
            return EXIT_LIMIT;
        }
        return board.exit_code();
    }
}

} // namespace
} // namespace sim

int main(int count, char **words) {
    try {
        return sim::simulate(count, words);
    } catch (const sim::Failure &failure) {
        std::fprintf(stderr, "%s: %s\n", sim::CORE_NAME, failure.what());
        return sim::EXIT_USAGE;
    }
}
