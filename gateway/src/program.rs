//! The ends of this node's circuits: queries of the zenoh network are its clients, what answers there its servers.

use std::collections::VecDeque;

use node_circuits::{Answer, BLOCKS, Blocks, Ends, FAR, Failure, NEAR, PART};

/// Who asked for something of a board.
pub trait Client: Send {
    /// The bytes of its request.
    fn bytes(&self) -> &[u8];
    /// Answers it: the server's status and bytes, or why there are none.
    fn answer(self: Box<Self>, answer: Result<(u32, Vec<u8>), Failure>);
}

/// What is to be done for boards, in order.
pub enum Task {
    /// A board opens a circuit to a name.
    Open {
        /// The board.
        peer: usize,
        /// Its circuit.
        circuit: usize,
        /// The name.
        name: String,
    },
    /// A request of a board is to be served.
    Serve {
        /// Where it is.
        far: usize,
    },
    /// A board has begun a new life: its circuits are closed.
    Closed {
        /// The board.
        peer: usize,
    },
}

/// Memory of messages, clients, and tasks.
pub struct Program {
    blocks: Vec<[u8; PART]>,
    clients: [Option<Box<dyn Client>>; NEAR],
    /// What is to be done.
    pub tasks: VecDeque<Task>,
    /// A request of a board is served in the zenoh network, and this is which use of its place it is: an answer to an earlier
    /// one comes too late.
    pub uses: [u64; FAR],
}

impl Default for Program {
    fn default() -> Program {
        Program::new()
    }
}

impl Program {
    /// Without clients.
    pub fn new() -> Program {
        Program {
            blocks: vec![[0; PART]; BLOCKS],
            clients: [const { None }; NEAR],
            tasks: VecDeque::new(),
            uses: [0; FAR],
        }
    }

    /// A request with this place is this client's.
    pub fn set_client(&mut self, place: usize, client: Box<dyn Client>) {
        self.clients[place] = Some(client);
    }

    /// The first `length` bytes in these blocks.
    pub fn gather(&self, blocks: Blocks, length: usize) -> Vec<u8> {
        let all = numbers(blocks).flat_map(|block| self.blocks[block]);
        all.take(length).collect()
    }

    /// Puts bytes into these blocks, as far as there is room.
    pub fn scatter(&mut self, blocks: Blocks, bytes: &[u8]) {
        for (block, piece) in numbers(blocks).zip(bytes.chunks(PART)) {
            self.keep(block, piece);
        }
    }
}

/// The numbers of blocks, in order.
fn numbers(blocks: Blocks) -> impl Iterator<Item = usize> {
    blocks
        .runs()
        .flat_map(|run| run.first..run.first + run.count)
}

impl Ends for Program {
    fn read(&mut self, near: usize, offset: usize, to: &mut [u8]) -> bool {
        let bytes = self.clients[near]
            .as_ref()
            .and_then(|it| it.bytes().get(offset..offset + to.len()));
        bytes.is_some_and(|bytes| {
            to.copy_from_slice(bytes);
            true
        })
    }

    fn answer(&mut self, near: usize, answer: Answer<'_>) -> bool {
        let Some(client) = self.clients[near].take() else {
            return false;
        };
        let is_carried = !matches!(answer, Answer::Proxy { .. });
        client.answer(match answer {
            Answer::Bytes { status, bytes } => Ok((status, bytes.to_vec())),
            Answer::Blocks {
                status,
                blocks,
                length,
            } => Ok((status, self.gather(blocks, length))),
            // The node takes none.
            Answer::Proxy { .. } => Err(Failure::NotCarried),
            Answer::Failed(why) => Err(why),
        });
        is_carried
    }

    fn keep(&mut self, block: usize, bytes: &[u8]) {
        self.blocks[block][..bytes.len()].copy_from_slice(bytes);
    }

    fn recall(&mut self, block: usize, to: &mut [u8]) {
        to.copy_from_slice(&self.blocks[block][..to.len()]);
    }

    fn open(&mut self, peer: usize, circuit: usize, name: &[u8]) {
        let name = String::from_utf8_lossy(name).into_owned();
        self.tasks.push_back(Task::Open {
            peer,
            circuit,
            name,
        });
    }

    fn closed(&mut self, peer: usize) {
        self.tasks.push_back(Task::Closed { peer });
    }

    fn serve(&mut self, far: usize) {
        self.uses[far] += 1;
        self.tasks.push_back(Task::Serve { far });
    }

    fn cancel(&mut self, _far: usize) {
        // What was asked of the zenoh network ends at its own time; its answer is dropped.
    }

    fn end_proxy(&mut self, _proxy: usize) {}

    fn trigger(&mut self, _right: usize, _times: u32) -> bool {
        // No answer of the zenoh network brings a proxy.
        false
    }

    fn forget(&mut self, _right: usize) {}
}
