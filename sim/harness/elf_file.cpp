#include "elf_file.h"

#include "failure.h"

#include <elf.h>

#include <cstring>

namespace sim {
namespace {

constexpr uint32_t COMPRESSED_CODE = 0x0001;  // EF_RISCV_RVC
constexpr uint32_t RISCV_ATTRIBUTES = 0x7000'0003; // SHT_RISCV_ATTRIBUTES

class ElfFile {
  public:
    ElfFile(const std::vector<uint8_t> &bytes, const std::string &path)
        : bytes(bytes), path(path), header(at<Elf32_Ehdr>(0)) {
        if (header.e_ident[EI_CLASS] != ELFCLASS32 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
            header.e_machine != EM_RISCV) {
            throw Failure(path + " is not a program for 32-bit RISC-V");
        }
        if (header.e_type != ET_EXEC && header.e_type != ET_DYN) {
            throw Failure(path + " is not linked");
        }
    }

    // Copied out, because a file may hold a header at any alignment.
    template <class T> T at(uint64_t offset) const {
        if (offset + sizeof(T) > bytes.size()) {
            throw Failure(path + " is cut off");
        }
        T result;
        std::memcpy(&result, bytes.data() + offset, sizeof(T));
        return result;
    }

    const uint8_t *range(uint64_t offset, uint64_t size) const {
        if (offset + size > bytes.size()) {
            throw Failure(path + " is cut off");
        }
        return bytes.data() + offset;
    }

    std::vector<Elf32_Shdr> sections() const {
        std::vector<Elf32_Shdr> result;
        for (unsigned i = 0; i < header.e_shnum; i++) {
            result.push_back(at<Elf32_Shdr>(uint64_t(header.e_shoff) + i * header.e_shentsize));
        }
        return result;
    }

    const std::vector<uint8_t> &bytes;
    const std::string &path;
    const Elf32_Ehdr header;
};

void read_segments(const ElfFile &file, Program &program) {
    for (unsigned i = 0; i < file.header.e_phnum; i++) {
        const auto segment = file.at<Elf32_Phdr>(uint64_t(file.header.e_phoff) +
                                                 i * file.header.e_phentsize);
        if (segment.p_type != PT_LOAD || segment.p_memsz == 0) {
            continue;
        }
        if (segment.p_filesz > segment.p_memsz) {
            throw Failure(file.path + " has a segment with more in the file than in memory");
        }
        const uint8_t *content = file.range(segment.p_offset, segment.p_filesz);
        program.segments.push_back(
            {segment.p_paddr, {content, content + segment.p_filesz}, segment.p_memsz});
    }
    if (program.segments.empty()) {
        throw Failure(file.path + " has nothing to load");
    }
}

void read_symbols(const ElfFile &file, const Elf32_Shdr &table, const Elf32_Shdr &names,
                  Program &program) {
    for (uint32_t offset = 0; offset + sizeof(Elf32_Sym) <= table.sh_size;
         offset += sizeof(Elf32_Sym)) {
        const auto symbol = file.at<Elf32_Sym>(uint64_t(table.sh_offset) + offset);
        const auto type = ELF32_ST_TYPE(symbol.st_info);
        const bool is_place = type == STT_FUNC || type == STT_NOTYPE;
        if (!is_place || symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= SHN_LORESERVE ||
            symbol.st_name >= names.sh_size) {
            continue;
        }
        const auto room = names.sh_size - symbol.st_name;
        const auto text = reinterpret_cast<const char *>(
            file.range(uint64_t(names.sh_offset) + symbol.st_name, room));
        const std::string name(text, strnlen(text, room));
        // Mapping symbols ($x, $d) and local labels say nothing to a reader.
        if (name.empty() || name[0] == '$' || name[0] == '.') {
            continue;
        }
        program.symbols[name] = symbol.st_value;
        program.functions[symbol.st_value] = name;
    }
}

// The architecture string, as in "rv32i2p1_m2p0_c2p0_zmmul1p0", or nothing.
std::string architecture(const ElfFile &file, const Elf32_Shdr &section) {
    const std::string content(
        reinterpret_cast<const char *>(file.range(section.sh_offset, section.sh_size)),
        section.sh_size);
    const auto start = content.find("rv32");
    return start == std::string::npos ? "" : content.substr(start, content.find('\0', start) - start);
}

void refuse(const ElfFile &file, const std::string &what, const std::string &extensions) {
    throw Failure(file.path + " needs " + what + ", which this core (RV32" + extensions +
                  ") does not have");
}

// Single letters only: what this project's compilers derive from them (zmmul, zca, zaamo) follows.
void check_architecture(const ElfFile &file, const std::string &isa, const std::string &extensions) {
    size_t position = std::strlen("rv32");
    while (position < isa.size()) {
        const auto end = std::min(isa.find('_', position), isa.size());
        const std::string letter(1, isa[position]);
        const bool single = end - position == 1 || std::isdigit(isa[position + 1]);
        if (single && letter != "i" && extensions.find(letter) == std::string::npos) {
            refuse(file, "the extension '" + letter + "'", extensions);
        }
        position = end + 1;
    }
}

} // namespace

bool is_elf(const std::vector<uint8_t> &bytes) {
    return bytes.size() >= SELFMAG && std::memcmp(bytes.data(), ELFMAG, SELFMAG) == 0;
}

Program read_elf(const std::vector<uint8_t> &bytes, const std::string &path,
                 const std::string &extensions) {
    const ElfFile file(bytes, path);
    if ((file.header.e_flags & COMPRESSED_CODE) != 0 && extensions.find('c') == std::string::npos) {
        refuse(file, "compressed instructions ('c')", extensions);
    }
    Program program;
    program.entry = file.header.e_entry;
    read_segments(file, program);
    const auto sections = file.sections();
    for (const auto &section : sections) {
        if (section.sh_type == SHT_SYMTAB && section.sh_link < sections.size()) {
            read_symbols(file, section, sections[section.sh_link], program);
        } else if (section.sh_type == RISCV_ATTRIBUTES) {
            check_architecture(file, architecture(file, section), extensions);
        }
    }
    return program;
}

} // namespace sim
