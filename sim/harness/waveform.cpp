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
constexpr char TIMER = 't';
constexpr char EXTERNAL = 'e';

// The clock that one imagines: 100 MHz.
constexpr unsigned long long NANOSECONDS = 10;

} // namespace

Waveform::Waveform(const std::string &path) : file(std::fopen(path.c_str(), "w")) {
    if (!file) {
        throw Failure("cannot write the waveform " + path);
    }
    header();
}

void Waveform::header() {
    std::fprintf(file.get(), "$comment one cycle is %llu ns $end\n$timescale 1 ns $end\n"
                             "$scope module board $end\n",
                 NANOSECONDS);
    for (unsigned pin = 0; pin < PINS; pin++) {
        std::fprintf(file.get(), "$var wire 1 %c gpio%u $end\n", FIRST_PIN + pin, pin);
    }
    std::fprintf(file.get(),
                 "$var wire 1 %c timer_interrupt $end\n"
                 "$var wire 1 %c external_interrupt $end\n"
                 "$var reg 2 %c privilege [1:0] $end\n"
                 "$var reg 32 %c satp [31:0] $end\n"
                 "$var reg 32 %c report [31:0] $end\n"
                 "$upscope $end\n$enddefinitions $end\n",
                 TIMER, EXTERNAL, PRIVILEGE, SATP, REPORT);
    std::fprintf(file.get(), "#0\n$dumpvars\n");
    for (unsigned pin = 0; pin < PINS; pin++) {
        bit(false, char(FIRST_PIN + pin));
    }
    bit(last.timer_interrupt, TIMER);
    bit(last.external_interrupt, EXTERNAL);
    vector(last.privilege, 2, PRIVILEGE);
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

void Waveform::changes(uint64_t cycle, const Signals &now) {
    std::fprintf(file.get(), "#%llu\n", (unsigned long long)cycle * NANOSECONDS);
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
        vector(now.privilege, 2, PRIVILEGE);
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
    std::fprintf(file.get(), "#%llu\n", (unsigned long long)cycle * NANOSECONDS);
    std::fflush(file.get());
}

} // namespace sim
