//! Where the cycles of a call go: which process, which privilege, how many, from where to where.
//!
//! A program marks the beginning and the end of each call by storing words in the board's REPORT
//! register; the simulator's log has those, and each change of privilege or address space
//! (`--modes`).

mod call;
mod data;
mod log;
mod names;
mod picture;
mod suite;

pub use call::{Call, Marks, Stretch, calls, typical};
pub use data::{Origin, document};
pub use log::{Entry, Privilege, read};
pub use picture::picture;
pub use suite::{Breakdown, Marked, breakdowns};

/// Puts names to what ran.
pub trait Names {
    /// The process whose code is at `address` of the address space that satp selects.
    fn process(&self, space: u32, address: u32) -> String;

    /// The function there; of the kernel if `privilege` is the machine's.
    fn function(&self, privilege: Privilege, space: u32, address: u32) -> String;
}

/// Who ran: the kernel, or which process.
fn who(stretch: &Stretch, names: &dyn Names) -> String {
    let address = stretch.left.or(stretch.entered);
    match (stretch.privilege, address) {
        (Privilege::Machine, _) => "kernel".into(),
        (Privilege::User, Some(address)) => {
            format!("{}, user", names.process(stretch.space, address))
        }
        (Privilege::User, None) => "user".into(),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Two processes, told apart by satp.
    pub struct Fake;

    impl Names for Fake {
        fn process(&self, space: u32, _: u32) -> String {
            match space {
                0x8000_0001 => "client".into(),
                0x8000_0002 => "server".into(),
                other => format!("{other:#x}"),
            }
        }

        fn function(&self, _: Privilege, _: u32, address: u32) -> String {
            format!("f{address:x}")
        }
    }

    /// Two calls as the simulator logs them, the first one slower.
    pub const LOG: &str = "\
mode 0 3 satp=0x00000000 from=0x00000000 to=0x00001080
mode 90 0 satp=0x80000001 from=0x00000a20 to=0x00010000
probe 95 begin satp=0x80000001
report 100 0x11110000
mode 120 3 satp=0x80000001 from=0x00010024 to=0x00000100
mode 200 3 satp=0x80000002 from=0x00000300 to=0x00000304
mode 220 0 satp=0x80000002 from=0x00000340 to=0x00010800
mode 260 3 satp=0x80000002 from=0x00010820 to=0x00000100
mode 350 3 satp=0x80000001 from=0x00000400 to=0x00000404
mode 370 0 satp=0x80000001 from=0x00000440 to=0x0001002c
report 400 0x22220000
report 500 0x11110001
mode 510 3 satp=0x80000001 from=0x00010024 to=0x00000100
mode 540 3 satp=0x80000002 from=0x00000300 to=0x00000304
mode 550 0 satp=0x80000002 from=0x00000340 to=0x00010800
mode 570 3 satp=0x80000002 from=0x00010820 to=0x00000100
mode 610 3 satp=0x80000001 from=0x00000400 to=0x00000404
mode 620 0 satp=0x80000001 from=0x00000440 to=0x0001002c
report 630 0x22220001
report 700 0x33330000
";

    pub const MARKS: Marks = Marks {
        begin: 0x1111,
        end: 0x2222,
    };

    /// The calls of [`LOG`].
    pub fn recorded() -> Vec<Call> {
        calls(&read(LOG.as_bytes()).unwrap(), MARKS).unwrap()
    }
}
