use riposte::zerocopy::{FromBytes, IntoBytes};

#[derive(FromBytes, IntoBytes)]
#[zerocopy(crate = "riposte::zerocopy")]
#[repr(C)]
struct Record {
    number: u32,
}

#[riposte::interface]
trait Store {
    fn put(&mut self, record: Record);
}

fn main() {}
