//! What the manifest gives this process, by name.

use core::fmt;

use riposte_abi::Error;
use riposte_abi::process_info::kind;

use crate::trap::{self, Entry};
use crate::{Channel, Connection, Pool, Proxy, Region};

/// The manifest doesn't give this process what the program asks for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ManifestError {
    kind: u32,
    name: &'static str,
}

impl fmt::Display for ManifestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (process, name) = (process_name(), self.name);
        match self.kind {
            kind::CONNECTION => write!(
                f,
                "no connection `{name}`: app.toml needs a [[connection]] from = \"{process}\", to = \"{name}\""
            ),
            kind::CHANNEL if name.is_empty() => write!(
                f,
                "no channel: app.toml needs a [[channel]] with owner = \"{process}\""
            ),
            kind::CHANNEL => write!(
                f,
                "no channel `{name}`: app.toml needs a [[channel]] with that name and owner `{process}`"
            ),
            kind::PROXY => write!(
                f,
                "no proxy `{name}`: app.toml needs a [[proxy]] with that name and a channel of \
                 `{process}`, or a [[connection]] from `{process}` to it"
            ),
            kind::PERIPHERAL => write!(
                f,
                "no peripheral `{name}`: list it in `peripherals` of `{process}` in app.toml"
            ),
            kind::REGION | kind::REGION_FOR_DEVICES => write!(
                f,
                "no region `{name}`: app.toml needs a [[region]] with that name and `{process}` among its processes"
            ),
            kind::POOL => write!(
                f,
                "no pool `{name}`: app.toml needs a [[pool]] with that name and `{process}` among its processes"
            ),
            kind::INTERRUPT => write!(
                f,
                "no interrupt `{name}`: list it in `interrupts` of `{process}` in app.toml"
            ),
            kind::CONTROLLED => write!(
                f,
                "no control of a process `{name}`: list it in `controls` of `{process}` in app.toml"
            ),
            kind::SIGNALLED => write!(
                f,
                "no process `{name}` to send signals to: list it in `signals` of `{process}` in app.toml"
            ),
            _ => write!(
                f,
                "no setting `{name}`: add it to `settings` of `{process}` in app.toml"
            ),
        }
    }
}

impl fmt::Debug for ManifestError {
    /// As `Display`: it is what a failed `expect` puts into the fault report.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for ManifestError {}

/// Why a connection or a proxy could not be had.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ConnectError {
    /// The manifest gives this process no such connection.
    NotInManifest(ManifestError),
    /// The kernel refused to open it.
    Kernel(Error),
}

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConnectError::NotInManifest(missing) => fmt::Display::fmt(missing, f),
            ConnectError::Kernel(error) => fmt::Display::fmt(error, f),
        }
    }
}

impl fmt::Debug for ConnectError {
    /// As `Display`: it is what a failed `expect` puts into the fault report.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for ConnectError {}

impl From<ManifestError> for ConnectError {
    fn from(missing: ManifestError) -> Self {
        ConnectError::NotInManifest(missing)
    }
}

impl From<Error> for ConnectError {
    fn from(error: Error) -> Self {
        ConnectError::Kernel(error)
    }
}

/// The value of the entry of this kind and name.
pub(crate) fn find(kind: u32, name: &'static str) -> Result<u32, ManifestError> {
    manifest_entry(kind, name.as_bytes()).ok_or(ManifestError { kind, name })
}

/// The connection that the manifest gives this process under `name`. Never blocks.
///
/// # Errors
/// [`ConnectError::NotInManifest`] if there is none, [`ConnectError::Kernel`] if it could not be
/// opened.
pub fn connect(name: &'static str) -> Result<Connection, ConnectError> {
    Ok(Connection::open(find(kind::CONNECTION, name)?)?)
}

/// The proxy of the manifest that this process owns, or may trigger, under `name`. Never blocks.
///
/// # Errors
/// [`ConnectError::NotInManifest`] if there is none, [`ConnectError::Kernel`] if it could not be
/// opened.
pub fn proxy(name: &'static str) -> Result<Proxy, ConnectError> {
    Ok(Proxy::open(find(kind::PROXY, name)?)?)
}

/// The channel `name`, which this process owns.
///
/// # Errors
/// [`ManifestError`] if it owns none of that name.
pub fn channel(name: &'static str) -> Result<Channel, ManifestError> {
    find(kind::CHANNEL, name).map(Channel::from_handle)
}

/// The names of the connections that the manifest gives this process, in its order.
pub fn connection_names() -> impl Iterator<Item = &'static str> {
    names(kind::CONNECTION)
}

/// The names of the channels that this process owns, in the manifest's order.
pub fn channel_names() -> impl Iterator<Item = &'static str> {
    names(kind::CHANNEL)
}

fn names(kind: u32) -> impl Iterator<Item = &'static str> {
    trap::entries()
        .filter(move |entry| entry.kind == kind)
        .map(|entry| entry.name)
}

/// The first channel of the manifest that this process owns: for programs that several processes
/// run, each with a channel of its own.
///
/// # Errors
/// [`ManifestError`] if it owns none.
pub fn own_channel() -> Result<Channel, ManifestError> {
    trap::entries()
        .find(|entry: &Entry| entry.kind == kind::CHANNEL)
        .map(|entry| Channel::from_handle(entry.value))
        .ok_or(ManifestError {
            kind: kind::CHANNEL,
            name: "",
        })
}

/// The region `name`, which this process has in common with others. Never blocks.
///
/// # Errors
/// [`ManifestError`] if the manifest does not give it to this process.
pub fn region(name: &'static str) -> Result<Region, ManifestError> {
    let length = find(kind::REGION_SIZE, name).unwrap_or_default();
    find(kind::REGION, name)
        .map(|address| Region::new(address, length, true))
        .or_else(|missing| match find(kind::READ_ONLY_REGION, name) {
            Ok(address) => Ok(Region::new(address, length, false)),
            Err(_) => Err(missing),
        })
}

/// The pool `name`, of which this process may make regions. Never blocks.
///
/// # Errors
/// [`ManifestError`] if the manifest does not let this process.
pub fn pool(name: &'static str) -> Result<Pool, ManifestError> {
    find(kind::POOL, name).map(Pool::at)
}

/// Where a region of this process lies for a device that reads and writes memory by itself: elsewhere than the process
/// sees it, on a board that translates addresses. Never blocks.
///
/// # Errors
/// [`ManifestError`] if the process has no such region, or no peripheral: who has none has no device to tell.
pub fn region_for_devices(name: &'static str) -> Result<u32, ManifestError> {
    find(kind::REGION_FOR_DEVICES, name)
}

/// The number `name` from the `settings` of this process.
///
/// # Errors
/// [`ManifestError`] if there is none.
pub fn setting(name: &'static str) -> Result<u32, ManifestError> {
    find(kind::SETTING, name)
}

/// The names and numbers of all `settings` of this process, in the manifest's order.
pub fn settings() -> impl Iterator<Item = (&'static str, u32)> {
    manifest_entries(kind::SETTING).map(|(value, name)| (name, value))
}

/// This process's name in the manifest.
#[must_use]
pub fn process_name() -> &'static str {
    trap::process_name()
}

/// This process's index in the manifest: where it has a badge of its own, that is 0x7FFFFF00 and this.
#[must_use]
pub fn process_index() -> u32 {
    trap::process_index()
}

/// The name of the process with this index in the manifest; told to supervisors, and to those with the grant `inspect`.
#[must_use]
pub fn name_of_process(index: u32) -> Option<&'static str> {
    manifest_name(kind::PROCESS, index)
}

/// The name of the channel with this index in the manifest; told to those with the grant `inspect`.
#[must_use]
pub fn name_of_channel(index: u32) -> Option<&'static str> {
    manifest_name(kind::ANY_CHANNEL, index)
}

/// The name of the process whose connection to a channel of this one has this badge, if the manifest lets this process
/// know (`client_names` of the channel).
#[must_use]
pub fn client_name(badge: u32) -> Option<&'static str> {
    manifest_name(kind::CLIENT, badge)
}

/// The badges and process names of all connections to those channels of this process that say `client_names`, in the
/// manifest's order of processes; then those of processes that may be handed one with a badge of their own.
pub fn clients() -> impl Iterator<Item = (u32, &'static str)> {
    manifest_entries(kind::CLIENT)
}

/// The values and names of all that the manifest gives this process under this kind ([`kind`]). For servers and
/// libraries that have kinds of their own.
pub fn manifest_entries(kind: u32) -> impl Iterator<Item = (u32, &'static str)> {
    trap::entries()
        .filter(move |entry| entry.kind == kind)
        .map(|entry| (entry.value, entry.name))
}

/// What the manifest gives this process under this kind ([`kind`]) and name, if it does. For
/// libraries of other languages; this one has a function for each kind.
#[must_use]
pub fn manifest_entry(kind: u32, name: &[u8]) -> Option<u32> {
    trap::entries()
        .find(|entry: &Entry| entry.kind == kind && entry.name.as_bytes() == name)
        .map(|entry| entry.value)
}

/// The name under which the manifest gives this process `value` of this kind ([`kind`]), if it does;
/// [`manifest_entry`] the other way round.
#[must_use]
pub fn manifest_name(kind: u32, value: u32) -> Option<&'static str> {
    trap::entries()
        .find(|entry: &Entry| entry.kind == kind && entry.value == value)
        .map(|entry| entry.name)
}
