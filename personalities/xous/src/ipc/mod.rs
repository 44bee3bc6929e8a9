//! Values in pages: the crate `xous_ipc` of Xous. Programs import it under that name:
//! `use xous::ipc as xous_ipc;`.

mod buffer;
mod string;

pub use buffer::{Buffer, Original};
pub use string::String;
