//! The linker script of a process.

use crate::plan::Region;

/// Where a program's sections go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Places {
    /// Code, constants and the load image of `.data`.
    pub flash: Region,
    /// `.data` and `.bss`.
    pub data: Region,
    /// First address above the main thread's stack.
    pub stack_top: u32,
}

impl Places {
    /// Addresses at which a program is linked only to learn its sizes.
    pub const TO_MEASURE: Places = Places {
        flash: Region {
            base: 0x1000_0000,
            size: 0x0100_0000,
        },
        data: Region {
            base: 0x2000_0000,
            size: 0x0100_0000,
        },
        stack_top: 0x2000_0000,
    };
}

/// What a program puts into `.text.hot` stands at the beginning of its code, where the plan keeps it
/// apart from what else runs in the course of a message; it ends at this symbol.
pub const HOT_END: &str = "__hot_end";

/// Code whose sequences begin anew when they are interrupted stands between these symbols, on
/// processors whose programs need any.
pub const RESTARTABLE: [&str; 2] = ["__restartable_start", "__restartable_end"];

/// The script. A program that outgrows its regions is refused by the linker.
#[must_use]
pub fn text(places: &Places) -> String {
    let Places {
        flash,
        data,
        stack_top,
    } = places;
    let [restartable, restartable_end] = RESTARTABLE;
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
    .text : ALIGN(4) {{ *(.text.hot) . = ALIGN(4); {HOT_END} = .; {restartable} = .; *(.restartable) {restartable_end} = .; *(.text .text.*) *(.memory) . = ALIGN(4); }} > FLASH
    .rodata : ALIGN(4) {{ *(.rodata .rodata.*) . = ALIGN(4); }} > FLASH
    .data : ALIGN(4)
    {{
        __data_start = .;
        *(.data .data.*)
        . = ALIGN(4);
        __data_end = .;
    }} > DATA AT > FLASH
    __data_load = LOADADDR(.data);
    .bss (NOLOAD) : ALIGN(4)
    {{
        __bss_start = .;
        *(.bss .bss.* COMMON)
        . = ALIGN(4);
        __bss_end = .;
    }} > DATA
    /DISCARD/ : {{ *(.ARM.exidx .ARM.exidx.* .ARM.extab .ARM.extab.* .eh_frame) }}
}}
",
        flash.base, flash.size, data.base, data.size
    )
}
