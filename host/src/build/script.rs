//! The linker script of a process.

use super::elf::Storage;
use crate::plan::Region;

/// Where a program's sections go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// Code, constants and the first values of `.data`, packed.
    pub flash: Region,
    /// `.data` and `.bss`.
    pub data: Region,
    /// First address above the main thread's stack.
    pub stack_top: u32,
    /// Bytes of each stack, in the order in which they lie, the main thread's first; none where the
    /// processor tells a program which thread it is.
    pub stacks: Vec<u32>,
    /// How many threads the program has.
    pub threads: u32,
    /// What each of them needs for itself: nothing, also where that is to be learnt.
    pub storage: Storage,
}

impl Places {
    /// Addresses at which a program with these stacks is linked only to learn its sizes.
    #[must_use]
    pub fn to_measure(stacks: Vec<u32>, threads: u32) -> Places {
        Places {
            flash: Region {
                base: 0x1000_0000,
                size: 0x0100_0000,
            },
            data: Region {
                base: 0x2000_0000,
                size: 0x0100_0000,
            },
            stack_top: 0x2000_0000,
            stacks,
            threads,
            storage: Storage::NONE,
        }
    }
}

/// What the addresses are multiples of where flash and data begin, wherever they lie.
pub const UNIT: u32 = 32;

/// The sections in flash, in order.
pub const IN_FLASH: [&str; 2] = [".text", ".rodata"];

/// Those in data.
pub const IN_DATA: [&str; 4] = [".data", ".tdata", ".tbss", ".bss"];

/// What a program puts into `.text.hot` stands at the beginning of its code, where the plan keeps it
/// apart from what else runs in the course of a message; it ends at this symbol.
pub const HOT_END: &str = "__hot_end";

/// Code whose sequences begin anew when they are interrupted stands between these symbols, on
/// processors whose programs need any.
pub const RESTARTABLE: [&str; 2] = ["__restartable_start", "__restartable_end"];

/// What guards the statics of C++ functions on Arm stands between these symbols, by the names that the compiler gives it;
/// and behind it as much again, a lock for each.
const GUARDS: [&str; 2] = ["__static_guards", "__static_guards_end"];

/// What the C library hands to threads that begin stands between these symbols, one for each thread.
const INHERITED: [&str; 2] = ["__inherited", "__inherited_end"];

/// The script. A program that outgrows its regions is refused by the linker.
#[must_use]
pub fn text(places: &Places) -> String {
    let Places {
        flash,
        data,
        stack_top,
        stacks,
        threads,
        storage,
    } = places;
    let table = granules(*stack_top, stacks);
    let ids = 4 * stacks.len();
    let [restartable, restartable_end] = RESTARTABLE;
    let [guards, guards_end] = GUARDS;
    let [inherited, inherited_end] = INHERITED;
    let others = threads - 1;
    let align = storage.align;
    let storages = storages(*storage, *threads);
    format!(
        "\
ENTRY(_riposte_start)
MEMORY
{{
    FLASH (rx)  : ORIGIN = {:#010x}, LENGTH = {:#x}
    DATA  (rw)  : ORIGIN = {:#010x}, LENGTH = {:#x}
}}
__stack_top = {stack_top:#010x};
SECTIONS
{{
    .text : ALIGN(4) {{ *(.text.hot) . = ALIGN(4); {HOT_END} = .; {restartable} = .; *(.restartable) {restartable_end} = .; *(.text .text.*) *(.memory .memory.*) . = ALIGN(4); }} > FLASH
    .rodata : ALIGN(4) {{ *(.rodata .rodata.* .srodata .srodata.*) . = ALIGN(4); {table}
        __init_array_start = .; KEEP(*(SORT_BY_INIT_PRIORITY(.init_array.*) .init_array)) __init_array_end = .;
        __fini_array_start = .; KEEP(*(SORT_BY_INIT_PRIORITY(.fini_array.*) .fini_array)) __fini_array_end = .; }} > FLASH
    __rodata_end = ADDR(.rodata) + SIZEOF(.rodata);
    __data_load = __rodata_end + SIZEOF(.tdata);
    .data : AT(__data_load) ALIGN({align})
    {{
        __data_start = .;
        *(.data .data.* .sdata .sdata.*)
        . = ALIGN({align});
        {STORAGE} = .;
    }} > DATA
    .tdata : AT(__rodata_end) {{ *(.tdata .tdata.*) . = ALIGN(4); }} > DATA
    __data_end = __data_start + SIZEOF(.data) + SIZEOF(.tdata);
    .tbss (NOLOAD) : AT(__data_load + SIZEOF(.data)) {{ *(.tbss .tbss.*) }} > DATA
    .bss (NOLOAD) : AT(__data_load + SIZEOF(.data)) ALIGN(4)
    {{
        {storages}
        {guards} = .; *(.bss._ZGV*) {guards_end} = .; . += {guards_end} - {guards};
        {inherited} = .; *(.bss.inherited) {inherited_end} = .; . += ({inherited_end} - {inherited}) * {others}; {inherited_end} = .;
        *(.bss .bss.* .sbss .sbss.* COMMON)
        . = ALIGN(4);
        __thread_ids = .;
        . += {ids};
        __bss_end = .;
    }} > DATA
    /DISCARD/ : {{ *(.ARM.exidx .ARM.exidx.* .ARM.extab .ARM.extab.* .eh_frame) }}
}}
",
        flash.base, flash.size, data.base, data.size
    )
}

/// Where the main thread's thread-local storage is, whose first values are those of `.data`; that of each other
/// thread follows, in `.bss`.
pub const STORAGE: &str = "__thread_storage";

/// Where the storages of all threads end; and what the code that gives one its first values, or finds the running
/// thread's, has to know. On Armv7-M its address is that many bytes behind the thread pointer, which the compiler asks
/// for.
fn storages(storage: Storage, threads: u32) -> String {
    let stride = storage.stride();
    let ahead = storage.align.max(8);
    let symbols = format!(
        "__thread_storage_stride = {stride}; __thread_pointer = {STORAGE} - {ahead}; \
         __thread_storage_load = LOADADDR(.tdata); __thread_storage_loaded = SIZEOF(.tdata);"
    );
    if storage == Storage::NONE {
        return symbols;
    }
    let all = stride * threads;
    // Of one thread it may end a few bytes before an aligned `.bss` begins.
    format!("{symbols} . = MAX(., {STORAGE} + {all});")
}

/// By which a program finds from its stack pointer which of its threads runs, where no register
/// tells: a byte for each granule of the stacks, the thread's index. `__thread_granules` is where the
/// byte of address 0 would be, `__thread_shift` the logarithm of a granule's size.
fn granules(main_top: u32, stacks: &[u32]) -> String {
    let Some((main, others)) = stacks.split_first() else {
        return String::new();
    };
    let shift = match others {
        // No address has a bit there.
        [] => 32,
        others => others
            .iter()
            .fold(*main, |bits, size| bits | size)
            .trailing_zeros(),
    };
    let size = 1_u64 << shift;
    let base = u64::from(main_top - main) >> shift;
    let count = |stack: &u32| u64::from(*stack).div_ceil(size) as usize;
    let mut bytes: Vec<u8> = (0_u8..)
        .zip(stacks)
        .flat_map(|(index, stack)| vec![index; count(stack)])
        .collect();
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    let words = bytes
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
    let words: String = words.map(|word| format!("LONG({word:#x}) ")).collect();
    format!("__thread_shift = {shift}; __thread_granules = ABSOLUTE(.) - {base:#x}; {words}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_granule_of_the_stacks_tells_its_thread() {
        let table = granules(0x2000_0400, &[0x400, 0x240, 0x1C0]);
        assert!(table.starts_with("__thread_shift = 6; "), "{table}");
        // The main thread's 16 granules, then 9, then 7.
        let words = table.matches("LONG").count();
        assert_eq!(words, 8);
        assert!(table.contains("ABSOLUTE(.) - 0x800000;"), "{table}");
        assert!(
            table.ends_with(
                "LONG(0x0) LONG(0x1010101) LONG(0x1010101) LONG(0x2020201) LONG(0x2020202) "
            ),
            "{table}"
        );
    }

    #[test]
    fn a_lone_thread_takes_one_word() {
        let table = granules(0x2000_8000, &[0x8000]);
        assert_eq!(
            table,
            "__thread_shift = 32; __thread_granules = ABSOLUTE(.) - 0x0; LONG(0x0) "
        );
        assert_eq!(granules(0x2000_8000, &[]), "");
    }
}
