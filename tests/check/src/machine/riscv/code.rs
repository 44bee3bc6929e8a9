//! Instructions that no compiler would make, each a function: what a0 holds goes in, and what it
//! holds then comes out.

use super::{positions, privileged::REGISTERS};

/// Control and status registers that belong to higher modes, or to nobody.
pub const PRIVILEGED: usize = REGISTERS.len();
/// Instructions of higher modes.
pub const HIGHER: usize = 7;
/// Instructions that anybody may try.
pub const HARMLESS: usize = 6;
/// Loads.
pub const LOADS: usize = 8;
/// Stores.
pub const STORES: usize = 6;
/// Atomic operations.
pub const ATOMICS: usize = 5;
/// Counters that processes may be allowed to read.
pub const COUNTERS: usize = 4;
/// Uses of units that no process has been given.
pub const UNITS: usize = 10;

/// An instruction and the return to its caller.
type Function = [u32; 2];

const RETURN: u32 = 0x0000_8067;
const A0: u32 = 10;
const SYSTEM: u32 = 0x73;

const fn function(instruction: u32) -> Function {
    [instruction, RETURN]
}

const fn functions<const N: usize>(instructions: [u32; N]) -> [Function; N] {
    let mut functions = [[0; 2]; N];
    let mut position = 0;
    while position < N {
        functions[position] = function(instructions[position]);
        position += 1;
    }
    functions
}

/// `csrrs a0, register, zero`.
const fn read(register: u32) -> u32 {
    register << 20 | 0b010 << 12 | A0 << 7 | SYSTEM
}

/// `csrrw zero, register, a0`.
const fn write(register: u32) -> u32 {
    register << 20 | A0 << 15 | 0b001 << 12 | SYSTEM
}

const fn reads() -> [u32; PRIVILEGED] {
    let mut instructions = [0; PRIVILEGED];
    let mut position = 0;
    while position < PRIVILEGED {
        instructions[position] = read(REGISTERS[position]);
        position += 1;
    }
    instructions
}

const fn writes() -> [u32; PRIVILEGED] {
    let mut instructions = [0; PRIVILEGED];
    let mut position = 0;
    while position < PRIVILEGED {
        instructions[position] = write(REGISTERS[position]);
        position += 1;
    }
    instructions
}

/// `op a0, 0(a0)` for a load of this width.
const fn load(width: u32) -> u32 {
    A0 << 15 | width << 12 | A0 << 7 | 0x03
}

/// `op a0, 0(a0)` for a store of this width.
const fn store(width: u32) -> u32 {
    A0 << 20 | A0 << 15 | width << 12 | 0x23
}

/// `op.w a0, a0, (a0)`, or without its second operand.
const fn atomic(operation: u32, operand: u32) -> u32 {
    operation << 27 | operand << 20 | A0 << 15 | 0b010 << 12 | A0 << 7 | 0x2F
}

/// A compressed instruction and the empty one.
const fn compressed(instruction: u32) -> u32 {
    0x0001 << 16 | instruction
}

macro_rules! table {
    ($(#[$what:meta])* $name:ident: $count:ident = $instructions:expr) => {
        $(#[$what])*
        #[unsafe(link_section = ".text.attempts")]
        static $name: [Function; $count] = functions($instructions);
    };
}

table!(READS: PRIVILEGED = reads());
table!(WRITES: PRIVILEGED = writes());
table!(
    /// `mret`, `sret`, `uret`, `dret`, `sfence.inval.ir`, `hfence.gvma`, `mnret`.
    RETURNS: HIGHER = [
        0x3020_0073, 0x1020_0073, 0x0020_0073, 0x7B20_0073, 0x1810_0073, 0x6200_0073,
        0x7020_0073,
    ]
);
table!(
    /// `fence`, `fence.i`, `wfi`, `pause`, what cleans VexRiscv's data cache, and
    /// `sfence.vma`: VexRiscv lets anybody forget translations, which costs time and gains nothing.
    FENCES: HARMLESS = [0x0FF0_000F, 0x0000_100F, 0x1050_0073, 0x0100_000F, 0x0000_500F, 0x1200_0073]
);
table!(
    /// `lb`, `lh`, `lw`, `lbu`, `lhu`, `c.lw`, `flw`, `fld`.
    LOAD: LOADS = [
        load(0), load(1), load(2), load(4), load(5), compressed(0x4108), 0x0005_2507, 0x0005_3507,
    ]
);
table!(
    /// `sb`, `sh`, `sw`, `c.sw`, `fsw`, `fsd`.
    STORE: STORES = [
        store(0), store(1), store(2), compressed(0xC108), 0x00A5_2027, 0x00A5_3027,
    ]
);
table!(
    /// `lr.w`, `sc.w`, `amoadd.w`, `amoswap.w`, `amoor.w`.
    ATOMIC: ATOMICS = [
        atomic(0b00010, 0), atomic(0b00011, A0), atomic(0b00000, A0), atomic(0b00001, A0),
        atomic(0b01000, A0),
    ]
);
table!(
    /// `time`, `timeh`, `instret`, `instreth`.
    COUNTER: COUNTERS = [read(0xC01), read(0xC81), read(0xC02), read(0xC82)]
);
table!(
    /// Counters that no process may read (`cycle`, `cycleh`, `hpmcounter3`, `hpmcounter31`), the
    /// state of the floating-point and vector units (`fcsr`, `vcsr`), its registers (`fmv.w.x`,
    /// `fmv.x.w`), entropy, and writing a counter.
    UNIT: UNITS = [
        read(0xC00), read(0xC80), read(0xC03), read(0xC1F), read(0x003), read(0x00F), 0xF005_0553,
        0xE005_0553, write(0x015), write(0xC01),
    ]
);

/// A table of instructions.
#[derive(Clone, Copy)]
pub enum Table {
    Reads,
    Writes,
    Higher,
    Harmless,
    Loads,
    Stores,
    Atomics,
    Counters,
    Units,
}

/// Executes instruction `position` of `table` with `word` in a0. Returns what a0 then holds.
pub fn execute(table: Table, position: u32, word: u32) -> u32 {
    let functions: &[Function] = match table {
        Table::Reads => &READS,
        Table::Writes => &WRITES,
        Table::Higher => &RETURNS,
        Table::Harmless => &FENCES,
        Table::Loads => &LOAD,
        Table::Stores => &STORE,
        Table::Atomics => &ATOMIC,
        Table::Counters => &COUNTER,
        Table::Units => &UNIT,
    };
    let address = functions[position as usize].as_ptr().addr();
    // SAFETY: none: what comes of it is what is tested. Each changes at most a0 and a register of
    // the floating-point unit, which nobody here uses.
    unsafe {
        let function = core::mem::transmute::<usize, extern "C" fn(u32) -> u32>(address);
        function(word)
    }
}

/// All positions of each table, as an attack goes through them.
pub mod every {
    use super::positions;

    pub const PRIVILEGED: [u32; super::PRIVILEGED] = positions();
    pub const HIGHER: [u32; super::HIGHER] = positions();
    pub const HARMLESS: [u32; super::HARMLESS] = positions();
    pub const LOADS: [u32; super::LOADS] = positions();
    pub const STORES: [u32; super::STORES] = positions();
    pub const ATOMICS: [u32; super::ATOMICS] = positions();
    pub const COUNTERS: [u32; super::COUNTERS] = positions();
    pub const UNITS: [u32; super::UNITS] = positions();
}
