// Reads ELF files of 32-bit RISC-V (System V ABI, and the RISC-V ELF psABI for the attributes).
#pragma once
#include "program.h"

namespace sim {

bool is_elf(const std::vector<uint8_t> &bytes);
Program read_elf(const std::vector<uint8_t> &bytes, const std::string &path,
                 const std::string &extensions);

} // namespace sim
