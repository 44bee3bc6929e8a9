//! The library without a copy: the text is looked at in the page to which the server has written it. The publication
//! has no such form.

use core::cell::{Ref, RefCell};

use xous::{CID, Error, send_message};

use ticktimer_api as api;

/// A page.
#[derive(Debug)]
#[repr(C, align(4096))]
struct Page([u8; 4096]);

/// A connection to the tick-timer server.
#[derive(Debug)]
pub struct Ticktimer {
    conn: CID,
    page: RefCell<Page>,
}

impl Ticktimer {
    /// Connects to the server with this identifier.
    ///
    /// # Errors
    /// [`Error::ServerNotFound`] if the manifest gives this process no such connection.
    pub fn new(server: xous::SID) -> Result<Self, Error> {
        let conn = xous::connect(server)?;
        Ok(Ticktimer {
            conn,
            page: RefCell::new(Page([0; 4096])),
        })
    }

    /// The version of the system, where it lies. Blocks.
    ///
    /// # Panics
    /// The last one is still looked at, or the server answers with something else.
    #[must_use]
    #[inline(always)]
    pub fn version(&self) -> Ref<'_, str> {
        let valid = self.fetch(&mut self.page.borrow_mut());
        Ref::map(self.page.borrow(), |page| {
            core::str::from_utf8(&page.0[..valid]).expect("a text")
        })
    }

    /// Lends the page, and says how much of it the server has filled.
    #[inline(always)]
    fn fetch(&self, page: &mut Page) -> usize {
        // SAFETY: the page is a page, and borrowed until the server has answered.
        let range = unsafe { xous::MemoryRange::new((&raw mut page.0) as usize, page.0.len()) };
        let message = xous::Message::new_lend_mut(
            api::Opcode::GetVersion as _,
            range.expect("a page"),
            None,
            xous::MemorySize::new(page.0.len()),
        );
        match send_message(self.conn, message) {
            Ok(xous::Result::MemoryReturned(_, Some(valid))) => valid.get(),
            other => panic!("the server answered {other:?}"),
        }
    }
}
