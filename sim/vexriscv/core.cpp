// VexRiscv's two Wishbone buses (Wishbone B4, registered feedback, incrementing bursts).
#include "Vboard.h"
#include "Vboard__Dpi.h"
#include "core.h"
#include "verilated_run.h"

namespace sim {
namespace {

struct Request {
    uint32_t address;
    bool more; // another beat of the burst follows
    bool write;
    uint32_t enable;
    uint32_t value;
};

class Bus {
  public:
    explicit Bus(bool fetches) : fetches(fetches) {}

    bool acknowledge(uint64_t cycle) const { return busy && cycle == answer_at; }
    uint32_t word() const { return answer; }

    // The strobe was up in the board's current cycle.
    void strobe(Board &board, const Request &request) {
        if (!busy) {
            serve(board, request, false);
        } else if (acknowledge(board.cycle())) {
            busy = false;
            // The next beat's address is known before the core shows it, so that a burst can have
            // a word a cycle.
            if (request.more && !request.write) {
                serve(board, {request.address + 4, true, false, 0, 0}, true);
            }
        }
    }

  private:
    void serve(Board &board, const Request &request, bool continues) {
        busy = true;
        answer_at = board.answer_at(request.address, request.write, continues);
        bool mapped;
        if (request.write) {
            mapped = board.write(request.address, request.enable, request.value);
        } else {
            const auto read = board.read(request.address, fetches);
            answer = read.word;
            mapped = read.mapped;
        }
        // The core has no bus errors, and goes on with zeros. A fetch may be a mere guess.
        if (!mapped && !fetches && !continues) {
            warn(board, request);
        }
    }

    void warn(const Board &board, const Request &request) {
        constexpr unsigned ENOUGH = 8;
        if (warnings++ < ENOUGH) {
            std::fprintf(stderr,
                         "%s: warning: %s 0x%08x, where nothing is, after pc 0x%08x; this core "
                         "has no bus errors and goes on\n",
                         CORE_NAME, request.write ? "wrote to" : "read from", request.address,
                         board.last_pc());
        }
    }

    bool fetches;
    bool busy = false;
    uint64_t answer_at = 0;
    uint32_t answer = 0;
    unsigned warnings = 0;
};

constexpr unsigned INCREMENTING_BURST = 2;

// The verilated model calls a plain function, and a process runs one board.
struct Simulation {
    Board &board;
    Bus data{false};
    Bus instructions{true};
};
Simulation *simulation;

} // namespace

const char *const CORE_NAME = "riposte-vexriscv";
const char *const CORE_EXTENSIONS = "ima";

Registers run(Board &board) {
    Simulation here{board};
    simulation = &here;
    Vboard top;
    const Registers registers = run_verilated(top, board);
    Request last{0, false, true, 0, 0};
    if (core_stores(&last.address, &last.enable, &last.value)) {
        // It may have retired: the next cycle would have found it.
        here.data.strobe(board, last);
    }
    simulation = nullptr;
    return registers;
}

} // namespace sim

void board_cycle(svBit instr_strobe, unsigned instr_address, unsigned instr_burst,
                 svBit data_strobe, svBit data_write, unsigned data_enable, unsigned data_address,
                 unsigned data_burst, unsigned data_value, svBit retired, unsigned pc,
                 unsigned privilege, unsigned satp, svBit loads_instructions, svBit loads_data,
                 svBit walks_tables, svBit *instr_acknowledge, unsigned *instr_word,
                 svBit *data_acknowledge, unsigned *data_word, svBit *software_interrupt,
                 svBit *timer_interrupt, svBit *external_interrupt) {
    auto &[board, data, instructions] = *sim::simulation;
    // Data first: where the RAM has one port only, they win.
    if (data_strobe) {
        data.strobe(board, {data_address, data_burst == sim::INCREMENTING_BURST, bool(data_write),
                            data_enable, data_value});
    }
    if (instr_strobe) {
        instructions.strobe(board, {instr_address, instr_burst == sim::INCREMENTING_BURST, false, 0, 0});
    }
    const auto wait = walks_tables         ? sim::TRANSLATION
                      : loads_data         ? sim::DATA
                      : loads_instructions ? sim::FETCH
                                           : sim::NOTHING;
    board.end_cycle({bool(retired), pc, privilege, satp, wait});

    const uint64_t next = board.cycle();
    *instr_acknowledge = instructions.acknowledge(next);
    *instr_word = instructions.word();
    *data_acknowledge = data.acknowledge(next);
    *data_word = data.word();
    *software_interrupt = board.software_interrupt();
    *timer_interrupt = board.timer_interrupt();
    *external_interrupt = board.external_interrupt();
}
