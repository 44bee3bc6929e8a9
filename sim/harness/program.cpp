#include "program.h"

#include "address_map.h"
#include "elf_file.h"
#include "failure.h"

#include <cstdio>
#include <fstream>
#include <iterator>

namespace sim {
namespace {

std::vector<uint8_t> read_file(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    std::vector<uint8_t> bytes((std::istreambuf_iterator<char>(file)),
                               std::istreambuf_iterator<char>());
    if (!file.is_open() || file.bad()) {
        throw Failure("cannot read the program " + path);
    }
    if (bytes.empty()) {
        throw Failure("the program " + path + " is empty");
    }
    return bytes;
}

} // namespace

std::string Program::place_of(uint32_t address) const {
    auto after = functions.upper_bound(address);
    if (after == functions.begin()) {
        return {};
    }
    --after;
    char text[16];
    std::snprintf(text, sizeof text, "+0x%x", address - after->first);
    return after->second + text;
}

std::optional<uint32_t> Program::address_of(const std::string &symbol) const {
    const auto found = symbols.find(symbol);
    return found == symbols.end() ? std::nullopt : std::optional(found->second);
}

Program load_program(const std::string &path, const std::string &extensions) {
    auto bytes = read_file(path);
    if (is_elf(bytes)) {
        return read_elf(bytes, path, extensions);
    }
    Program program;
    program.entry = address_map::RAM;
    const auto size = uint32_t(bytes.size());
    program.segments.push_back({address_map::RAM, std::move(bytes), size});
    return program;
}

} // namespace sim
