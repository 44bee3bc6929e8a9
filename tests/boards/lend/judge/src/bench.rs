//! What the judge works with: its memory, the servers, the lender, and the faults of all of them.

use core::cell::UnsafeCell;

use check::memory::{self, Form, Message};
use lend_orders::{order, task};
use riposte::abi::fault::Record;
use riposte::{Channel, Connection, Deadline, Duration, Error, Event, Notice, Token};

/// Bytes of what is lent.
pub const PAGE: u32 = 4096;
/// What the judge fills its memory with.
pub const SEED: u32 = 0x31;
/// Time within which everything has happened.
const PATIENCE: Duration = Duration::from_millis(20);
/// Time in which nothing is to happen.
const WHILE: Duration = Duration::from_millis(2);

/// Two pages that together could be lent to nobody with windows of one page, and two more.
#[repr(align(8192))]
struct Area(UnsafeCell<[u8; 4 * PAGE as usize]>);

// SAFETY: only volatile accesses by address; the process has one thread.
unsafe impl Sync for Area {}

static AREA: Area = Area(UnsafeCell::new([0; 4 * PAGE as usize]));

/// The second page of the area.
pub fn page() -> (u32, u32) {
    (area() + PAGE, PAGE)
}

/// Where the area begins.
pub fn area() -> u32 {
    AREA.0.get().addr() as u32
}

/// The servers, the lender and the supervisor's channel.
pub struct Bench {
    pub server: Connection,
    pub keeper: Connection,
    pub plain: Connection,
    pub console: Connection,
    faults: Channel,
    orders: Channel,
    /// Where the lender's first page is, as it said when it started.
    pub lenders_page: u32,
    /// Where the server has seen the judge's page.
    pub window: u32,
    /// The lender's token while it waits for a task.
    asks: Option<(u32, u32)>,
}

/// What the lender says: the error, a word, and what its second thread saw.
pub type Said = [u32; 3];

impl Bench {
    pub fn new() -> Self {
        let mut bench = Self {
            server: riposte::connect("server").unwrap(),
            keeper: riposte::connect("keeper").unwrap(),
            plain: riposte::connect("plain").unwrap(),
            console: riposte::connect("console").unwrap(),
            faults: riposte::channel("faults").unwrap(),
            orders: riposte::channel("orders").unwrap(),
            lenders_page: 0,
            window: 0,
            asks: None,
        };
        memory::fill(page(), SEED);
        bench.lender_stirs();
        bench
    }

    /// Lends or moves the page to the server, with an order.
    pub fn send(&self, form: Form, order: u32, argument: u32) -> Result<[u32; 5], Error> {
        Message::new(form, page(), order::order(order, argument)).send(&self.server)
    }

    /// Where the server would see what another process has at `address`: there, unless its windows have
    /// places of their own.
    pub fn at_the_server(&self, address: u32) -> u32 {
        if self.window == page().0 {
            address
        } else {
            self.window
        }
    }

    /// Orders the server in words.
    pub fn ask(&self, order: u32, argument: u32) -> Result<[u32; 2], Error> {
        ask(&self.server, [order, argument, 0])
    }

    /// The next fault.
    pub fn fault(&mut self) -> Option<Record> {
        let deadline = Deadline::At(riposte::Instant::now() + WHILE);
        loop {
            match self.faults.receive_until(&mut [], deadline) {
                Ok(Event::Notice(Notice::Fault { process })) => {
                    self.reconnect();
                    return riposte::fault_record(process).ok();
                }
                Ok(_) => {}
                Err(_) => return None,
            }
        }
    }

    fn reconnect(&mut self) {
        // One that never went away stays as it is.
        for connection in [&mut self.server, &mut self.keeper] {
            if ask(connection, [order::LAST, 0, 0]).is_err() {
                connection.reconnect().unwrap();
            }
        }
    }

    /// Gives the lender a task, once it asks for one. Does not wait for the end.
    pub fn order(&mut self, task: [u32; 5]) {
        if self.asks.is_none() {
            self.listen(PATIENCE);
        }
        if let Some((tag, generation)) = self.asks.take() {
            // SAFETY: the lender has lent nothing with its question.
            let token = unsafe { Token::from_parts(tag, generation) };
            let _ = token.reply_words(task);
        }
    }

    /// Gives the lender a task, and waits until it has done it; nothing if it dies of it.
    pub fn make(&mut self, task: [u32; 5]) -> Option<Said> {
        self.order(task);
        self.said()
    }

    /// What the lender says of its task; nothing if it starts anew, or says nothing.
    pub fn said(&mut self) -> Option<Said> {
        let [what, error, word, seen] = self.listen(PATIENCE)?;
        (what == task::FINISHED).then_some([error, word, seen])
    }

    /// Whether the lender says anything, if only that it has started.
    pub fn lender_stirs(&mut self) -> bool {
        self.listen(WHILE).is_some()
    }

    /// Waits for the lender to ask for a task; it goes on asking.
    fn listen(&mut self, time: Duration) -> Option<[u32; 4]> {
        let Some(Event::Message(message)) = self.hear(time) else {
            return None;
        };
        let [what, first, second, third, _] = message.words();
        if what == task::STARTED {
            self.lenders_page = first;
        }
        self.asks = Some(message.into_token().into_parts());
        Some([what, first, second, third])
    }

    fn hear(&mut self, time: Duration) -> Option<Event<'static>> {
        let deadline = Deadline::At(riposte::Instant::now() + time);
        self.orders.receive_until(&mut [], deadline).ok()
    }
}

/// Orders a server in words.
pub fn ask(server: &Connection, words: [u32; 3]) -> Result<[u32; 2], Error> {
    let [first, second, ..] = server.send_words(words)?.words;
    Ok([first, second])
}

/// Whether it is a fault of `thread` of `process`, for one of `reasons`.
pub fn is_fault(record: Option<Record>, process: &str, thread: u32, reasons: &[u32]) -> bool {
    record.is_some_and(|record| {
        riposte::name_of_process(record.process) == Some(process)
            && record.thread == thread
            && reasons.contains(&record.reason)
    })
}
