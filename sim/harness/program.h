// What is loaded: segments for the RAM, the entry, and the names of its functions.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sim {

struct Segment {
    uint32_t address;
    std::vector<uint8_t> bytes;
    uint32_t memory_size; // the rest beyond `bytes` is zero
};

struct Program {
    std::vector<Segment> segments;
    uint32_t entry;
    std::map<uint32_t, std::string> functions; // by address
    std::map<std::string, uint32_t> symbols;

    // "name+0x10", or nothing if no symbol lies before.
    std::string place_of(uint32_t address) const;
    std::optional<uint32_t> address_of(const std::string &symbol) const;
};

// Reads an ELF file, or takes the file as raw bytes for the start of RAM, where it is entered.
// `extensions` holds the letters of what the core executes, as "imc"; an ELF file that says it
// needs more is refused. Throws Failure.
Program load_program(const std::string &path, const std::string &extensions);

} // namespace sim
