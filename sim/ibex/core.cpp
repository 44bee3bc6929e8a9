// Ibex's two memory ports (its documentation: "Load-Store Unit", protocol as of OBI).
#include "Vboard.h"
#include "Vboard__Dpi.h"
#include "core.h"
#include "verilated_run.h"

namespace sim {
namespace {

struct Request {
    uint32_t address;
    bool write;
    uint32_t enable;
    uint32_t value;
};

// One outstanding request: the next is granted in the cycle in which the answer leaves, so block
// RAM takes one a cycle.
class Port {
  public:
    explicit Port(bool fetches) : fetches(fetches) {}

    bool grant(uint64_t cycle) const { return cycle >= answer_at; }
    bool valid(uint64_t cycle) const { return cycle == answer_at; }
    uint32_t word() const { return answer.word; }
    bool error() const { return !answer.mapped; }

    // A request that was granted in the board's current cycle.
    void accept(Board &board, const Request &request) {
        const uint32_t address = request.address & ~3u;
        const bool follows = address == last_address + 4 && board.cycle() == answer_at;
        const bool continues = follows && !request.write && !last_write;
        answer_at = board.answer_at(address, request.write, continues);
        answer = request.write
                     ? Answer{0, board.write(address, request.enable, request.value)}
                     : board.read(address, fetches);
        last_address = address;
        last_write = request.write;
    }

  private:
    bool fetches;
    uint64_t answer_at = 0;
    Answer answer{};
    uint32_t last_address = 0;
    bool last_write = true; // nothing to continue at first
};

// The verilated model calls a plain function, and a process runs one board.
struct Simulation {
    Board &board;
    Port data{false};
    Port instructions{true};
};
Simulation *simulation;

} // namespace

const char *const CORE_NAME = "riposte-ibex";
const char *const CORE_EXTENSIONS = "imc";

Registers run(Board &board) {
    Simulation here{board};
    simulation = &here;
    Vboard top;
    const Registers registers = run_verilated(top, board);
    simulation = nullptr;
    return registers;
}

} // namespace sim

void board_cycle(svBit instr_request, unsigned instr_address, svBit data_request, svBit data_write,
                 unsigned data_enable, unsigned data_address, unsigned data_value, svBit retired,
                 unsigned pc, unsigned privilege, svBit waits_for_fetch, svBit waits_for_data,
                 svBit asleep, svBit *instr_grant, svBit *instr_valid,
                 svBit *instr_error, unsigned *instr_word, svBit *data_grant, svBit *data_valid,
                 svBit *data_error, unsigned *data_word, svBit *software_interrupt,
                 svBit *timer_interrupt, svBit *external_interrupt) {
    auto &[board, data, instructions] = *sim::simulation;
    const uint64_t cycle = board.cycle();
    // Data first: where the RAM has one port only, they win.
    if (data_request && data.grant(cycle)) {
        data.accept(board, {data_address, bool(data_write), data_enable, data_value});
    }
    if (instr_request && instructions.grant(cycle)) {
        instructions.accept(board, {instr_address, false, 0, 0});
    }
    const auto wait = waits_for_data ? sim::DATA : waits_for_fetch ? sim::FETCH : sim::NOTHING;
    board.end_cycle({bool(retired), pc, privilege, 0, wait});
    if (asleep && !data_request && !instr_request) {
        board.skip_sleep();
    }

    const uint64_t next = board.cycle();
    *instr_grant = instructions.grant(next);
    *instr_valid = instructions.valid(next);
    *instr_error = instructions.error();
    *instr_word = instructions.word();
    *data_grant = data.grant(next);
    *data_valid = data.valid(next);
    *data_error = data.error();
    *data_word = data.word();
    *software_interrupt = board.software_interrupt();
    *timer_interrupt = board.timer_interrupt();
    *external_interrupt = board.external_interrupt();
}
