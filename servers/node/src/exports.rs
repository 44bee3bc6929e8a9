//! What names lead to that are exported to other nodes.

use node_circuits::{Failure, NAME};
use riposte::signal::Target;
use riposte::{Deadline, Duration, Error, Instant};
use riposte_names::{Found, NameError, Names};
use riposte_node::protocol::{KILL, SIGNALS};

use crate::links::Lead;
use crate::{settings, signals};

/// What a node asks for by a circuit.
pub struct Asked {
    /// The node.
    pub peer: &'static str,
    pub name: [u8; NAME],
    pub length: usize,
}

impl Asked {
    /// The name, if that is exported to the node.
    fn exported(&self) -> Result<&str, Failure> {
        let name = self.name.get(..self.length).unwrap_or_default();
        let name = core::str::from_utf8(name).unwrap_or_default();
        self.is_exported(name)
            .then_some(name)
            .ok_or(Failure::NotExported)
    }

    fn is_exported(&self, name: &str) -> bool {
        settings::is_exported(self.peer, name) && !name.starts_with("//")
    }
}

/// How long the node waits for the names server, with all that comes meanwhile, before a circuit is not opened.
const PATIENCE: Duration = Duration::from_millis(50);

/// What a circuit leads to. Waits for the names server, a moment.
pub fn find(asked: &Asked) -> Result<Lead, Failure> {
    let name = asked.exported()?;
    if name.starts_with(SIGNALS) || path_of_kill(name).is_some() {
        return Ok(Lead::Process);
    }
    let deadline = Instant::now() + PATIENCE;
    let found = locate(name, deadline.into())?.ok_or(Failure::NotExported)?;
    Ok(Lead::Server(found.connection))
}

/// The process that is to be sent a signal by a circuit, as of now. Waits only for the names server, until `deadline`.
pub fn process(asked: &Asked, deadline: Deadline) -> Result<Target, Failure> {
    let name = asked.exported()?;
    if let Some(process) = name.strip_prefix(SIGNALS) {
        return signals::target(process).ok_or(Failure::NotExported);
    }
    let path = path_of_kill(name).filter(|it| asked.is_exported(it));
    let path = path.ok_or(Failure::NotExported)?;
    let found = locate(path, deadline)?.ok_or(Failure::ServerDied)?;
    let _ = found.connection.close();
    signals::target_at(found.owner).ok_or(Failure::NotExported)
}

/// The name whose owner signals by a circuit of this name go to.
fn path_of_kill(name: &str) -> Option<&str> {
    name.strip_prefix(KILL).filter(|it| it.starts_with('/'))
}

/// Who has registered this name; nobody, if nobody has.
fn locate(name: &str, deadline: Deadline) -> Result<Option<Found>, Failure> {
    let mut names = Names::connect().map_err(|_| Failure::NotExported)?;
    let found = match ask(&names, name, deadline) {
        Err(NameError::Kernel(Error::Interrupted | Error::WouldBlock)) => Err(NameError::TimedOut),
        // The names server has a new life.
        Err(NameError::Kernel(_)) if names.reconnect().is_ok() => ask(&names, name, deadline),
        found => found,
    };
    match found {
        Ok(found) if found.covered == name.len() => Ok(Some(found)),
        // A folder above it is somebody's.
        Ok(found) => {
            let _ = found.connection.close();
            Ok(None)
        }
        // With the names server all names end.
        Err(NameError::NoSuchName | NameError::Kernel(Error::ServerDied)) => Ok(None),
        Err(NameError::TimedOut) => Err(Failure::TimedOut),
        Err(_) => Err(Failure::NotExported),
    }
}

#[inline(never)]
fn ask(names: &Names, name: &str, deadline: Deadline) -> Result<Found, NameError> {
    names.locate_by(name, deadline)
}
