// A value change dump (IEEE 1364-2005, 18) of the few signals that explain a run. Written by hand:
// only changes are stored, so it costs next to nothing.
#pragma once
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

namespace sim {

struct Signals {
    uint32_t gpio = 0;
    uint32_t report = 0;
    uint32_t satp = 0;
    uint32_t privilege = 3;
    bool timer_interrupt = false;
    bool external_interrupt = false;
    bool operator==(const Signals &) const = default;
};

class Waveform {
  public:
    explicit Waveform(const std::string &path);
    void record(uint64_t cycle, const Signals &now) {
        if (now != last) {
            changes(cycle, now);
        }
    }
    void finish(uint64_t cycle);

  private:
    void header();
    void changes(uint64_t cycle, const Signals &now);
    void bit(bool value, char name);
    void vector(uint32_t value, unsigned width, char name);
    void privilege(uint32_t level);

    struct Close {
        void operator()(FILE *file) const { std::fclose(file); }
    };
    std::unique_ptr<FILE, Close> file;
    Signals last;
};

} // namespace sim
