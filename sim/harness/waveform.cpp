#include "waveform.h"

#include "failure.h"

namespace sim {
namespace {

// One wire a pin, which is how PulseView shows logic; the upper pins have no wire.
constexpr unsigned PINS = 16;
constexpr char FIRST_PIN = 'A'; // to 'P'
constexpr char REPORT = 'r';
constexpr char SATP = 's';
constexpr char PRIVILEGE = 'p';
constexpr char USER = 'u';
constexpr char TIMER = 't';
constexpr char EXTERNAL = 'e';

} // namespace

Waveform::Waveform(const std::string &path) : file(std::fopen(path.c_str(), "w")) {
    if (!file) {
        throw Failure("cannot write the waveform " + path);
    }
    header();
}

void Waveform::header() {
    // As if the clock ran at 100 MHz: a unit of time is a cycle.
    std::fprintf(file.get(), "$comment one unit is one cycle $end\n$timescale 10 ns $end\n"
                             "$scope module board $end\n");
    for (unsigned pin = 0; pin < PINS; pin++) {
        std::fprintf(file.get(), "$var wire 1 %c gpio%u $end\n", FIRST_PIN + pin, pin);
    }
    std::fprintf(file.get(),
                 "$var wire 1 %c timer_interrupt $end\n"
                 "$var wire 1 %c external_interrupt $end\n"
                 "$var wire 1 %c user_mode $end\n"
                 "$var reg 2 %c privilege [1:0] $end\n"
                 "$var reg 32 %c satp [31:0] $end\n"
                 "$var reg 32 %c report [31:0] $end\n"
                 "$upscope $end\n$enddefinitions $end\n",
                 TIMER, EXTERNAL, USER, PRIVILEGE, SATP, REPORT);
    std::fprintf(file.get(), "#0\n$dumpvars\n");
    for (unsigned pin = 0; pin < PINS; pin++) {
        bit(false, char(FIRST_PIN + pin));
    }
    bit(last.timer_interrupt, TIMER);
    bit(last.external_interrupt, EXTERNAL);
    privilege(last.privilege);
    vector(last.satp, 32, SATP);
    vector(last.report, 32, REPORT);
    std::fprintf(file.get(), "$end\n");
}

void Waveform::bit(bool value, char name) { std::fprintf(file.get(), "%d%c\n", value, name); }

void Waveform::vector(uint32_t value, unsigned width, char name) {
    char digits[33];
    for (unsigned i = 0; i < width; i++) {
        digits[i] = char('0' + (value >> (width - 1 - i) & 1));
    }
    digits[width] = '\0';
    std::fprintf(file.get(), "b%s %c\n", digits, name);
}

// Twice, because PulseView (libsigrok 0.5) shows only signals of one bit.
void Waveform::privilege(uint32_t level) {
    bit(level == 0, USER);
    vector(level, 2, PRIVILEGE);
}

void Waveform::changes(uint64_t cycle, const Signals &now) {
    std::fprintf(file.get(), "#%llu\n", (unsigned long long)cycle);
    const uint32_t pins = now.gpio ^ last.gpio;
    for (unsigned pin = 0; pin < PINS; pin++) {
        if ((pins >> pin & 1) != 0) {
            bit(now.gpio >> pin & 1, char(FIRST_PIN + pin));
        }
    }
    if (now.timer_interrupt != last.timer_interrupt) {
        bit(now.timer_interrupt, TIMER);
    }
    if (now.external_interrupt != last.external_interrupt) {
        bit(now.external_interrupt, EXTERNAL);
    }
    if (now.privilege != last.privilege) {
        privilege(now.privilege);
    }
    if (now.satp != last.satp) {
        vector(now.satp, 32, SATP);
    }
    if (now.report != last.report) {
        vector(now.report, 32, REPORT);
    }
    last = now;
}

// The last time stamp, so that a viewer shows the run to its end.
void Waveform::finish(uint64_t cycle) {
    std::fprintf(file.get(), "#%llu\n", (unsigned long long)cycle);
    if (std::fflush(file.get()) != 0 || std::ferror(file.get()) != 0) {
        throw Failure("the waveform cannot be written to its end");
    }
}

} // namespace sim
