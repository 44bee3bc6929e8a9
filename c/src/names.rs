//! What the manifest gives this process, by name.

use core::ffi::{CStr, c_char, c_void};

use riposte::Error;
use riposte::abi::call::number;
use riposte::abi::process_info::kind;

use crate::call::{Call, OK, Word, put};
use crate::types::{
    riposte_channel_t, riposte_connection_t, riposte_error_t, riposte_peripheral_t,
};

pub(crate) const NOT_IN_MANIFEST: riposte_error_t = Error::NotPermitted as u32;

/// The value under this name; none if it is null.
pub fn find(kind: u32, name: *const c_char) -> Option<u32> {
    if name.is_null() {
        return None;
    }
    // SAFETY: the header asks for a string, which is only read, and only now.
    let name = unsafe { CStr::from_ptr(name) };
    riposte::manifest_entry(kind, name.to_bytes())
}

/// The first byte of a name; the builder ends all of them with a zero.
fn text(name: Option<&'static str>) -> *const c_char {
    name.map_or(core::ptr::null(), |name| name.as_ptr().cast())
}

impl From<Word> for riposte_connection_t {
    fn from(word: Word) -> riposte_connection_t {
        riposte_connection_t { handle: word.0 }
    }
}

/// Opens the connection that the manifest gives this process under a name. After
/// RIPOSTE_ERROR_SERVER_DIED, opening it again finds the restarted server.
///
/// @param name The connection's name in app.toml.
/// @param connection Where the connection is stored.
/// @error RIPOSTE_ERROR_NOT_PERMITTED The manifest gives this process no such connection.
/// @error RIPOSTE_ERROR_SERVER_DIED The server is not there (again).
/// @error RIPOSTE_ERROR_NO_HANDLES No free handle slot; raise `handles` in the manifest.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_connect(
    name: *const c_char,
    connection: *mut riposte_connection_t,
) -> riposte_error_t {
    let Some(slot) = find(kind::CONNECTION, name) else {
        return NOT_IN_MANIFEST;
    };
    // SAFETY: the caller's promise.
    unsafe {
        Call::number(number::CONNECT)
            .words([slot])
            .store(connection)
    }
}

/// Gives a connection up. The manifest's name for it can be opened again.
///
/// @param connection The connection.
/// @error RIPOSTE_ERROR_BAD_HANDLE It is none, or was closed already.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn riposte_close(connection: riposte_connection_t) -> riposte_error_t {
    Call::number(number::CLOSE)
        .words([connection.handle])
        .done()
}

/// Finds a channel that this process owns.
///
/// @param name The channel's name in app.toml; NULL for the first one, in a program that several
/// processes run.
/// @param channel Where the channel is stored.
/// @error RIPOSTE_ERROR_NOT_PERMITTED This process owns no such channel.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_channel(
    name: *const c_char,
    channel: *mut riposte_channel_t,
) -> riposte_error_t {
    let handle = if name.is_null() {
        riposte::own_channel().ok().map(|channel| channel.handle())
    } else {
        find(kind::CHANNEL, name)
    };
    let Some(handle) = handle else {
        return NOT_IN_MANIFEST;
    };
    // SAFETY: the caller's promise.
    unsafe { put(channel, riposte_channel_t { handle }) };
    OK
}

/// Finds a device of the board whose registers this process may use.
///
/// @param name The peripheral's name on the board, as in `peripherals` of app.toml.
/// @param peripheral Where its place and its kind are stored.
/// @error RIPOSTE_ERROR_NOT_PERMITTED The manifest does not give it to this process.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_peripheral(
    name: *const c_char,
    peripheral: *mut riposte_peripheral_t,
) -> riposte_error_t {
    let Some(base) = find(kind::PERIPHERAL, name) else {
        return NOT_IN_MANIFEST;
    };
    let device = riposte::manifest_name(kind::DEVICE, base);
    let length = find(kind::PERIPHERAL_SIZE, name).unwrap_or_default();
    let found = riposte_peripheral_t {
        address: core::ptr::with_exposed_provenance_mut::<c_void>(base as usize),
        length: length as usize,
        kind: device.map_or(c"".as_ptr(), |device| text(Some(device))),
    };
    // SAFETY: the caller's promise.
    unsafe { put(peripheral, found) };
    OK
}

/// Looks up a number in the `settings` of this process.
///
/// @param name The setting's name in app.toml.
/// @param value Where the number is stored; a negative one in two's complement.
/// @error RIPOSTE_ERROR_NOT_PERMITTED There is no such setting.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_setting(name: *const c_char, value: *mut u32) -> riposte_error_t {
    let Some(found) = find(kind::SETTING, name) else {
        return NOT_IN_MANIFEST;
    };
    // SAFETY: the caller's promise.
    unsafe { put(value, found) };
    OK
}

/// Tells the names of the settings of this process, in the manifest's order.
///
/// @param index Which, from 0.
/// @return The name, or NULL if there are not so many.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn riposte_setting_name(index: usize) -> *const c_char {
    text(riposte::settings().nth(index).map(|(name, _)| name))
}

/// Tells this process's name in the manifest.
///
/// @return The name.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn riposte_process_name() -> *const c_char {
    text(Some(riposte::process_name()))
}

/// Tells this process's index in the manifest: where it has a badge of its own, that is
/// RIPOSTE_PROCESS_BADGES and this.
///
/// @return The index, from 0.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn riposte_process_index() -> u32 {
    riposte::process_index()
}

/// Tells the name of another process. Only a supervisor is told.
///
/// @param process The process's index in the manifest.
/// @return The name, or NULL if there is no such process or this one is no supervisor.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn riposte_name_of_process(process: u32) -> *const c_char {
    text(riposte::name_of_process(process))
}

/// Tells the name of the process whose connection to a channel of this one has a badge, if the channel's `client_names`
/// in the manifest lets this process know.
///
/// @param badge The badge.
/// @return The name, or NULL if there is no such client or this process is not told.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn riposte_client_name(badge: u32) -> *const c_char {
    text(riposte::client_name(badge))
}

/// Tells the names of the connections that the manifest gives this process, in its order.
///
/// @param index Which, from 0.
/// @return The name, or NULL if there are not so many.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn riposte_connection_name(index: usize) -> *const c_char {
    text(riposte::connection_names().nth(index))
}

/// Tells the names of the channels that this process owns, in the manifest's order.
///
/// @param index Which, from 0.
/// @return The name, or NULL if there are not so many.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn riposte_channel_name(index: usize) -> *const c_char {
    text(riposte::channel_names().nth(index))
}

/// Finds a region that this process has in common with others.
///
/// @param name The region's name in app.toml.
/// @param memory Where its first byte's address is stored, or NULL.
/// @param length Where its length in bytes is stored, or NULL.
/// @param writable Where it is stored whether this process may write it, or NULL.
/// @error RIPOSTE_ERROR_NOT_PERMITTED The manifest does not give it to this process.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_region(
    name: *const c_char,
    memory: *mut *mut c_void,
    length: *mut usize,
    writable: *mut bool,
) -> riposte_error_t {
    let read_write = find(kind::REGION, name);
    let Some(base) = read_write.or_else(|| find(kind::READ_ONLY_REGION, name)) else {
        return NOT_IN_MANIFEST;
    };
    let size = find(kind::REGION_SIZE, name).unwrap_or_default();
    let start = core::ptr::with_exposed_provenance_mut(base as usize);
    // SAFETY: the caller's promise.
    unsafe {
        put(memory, start);
        put(length, size as usize);
        put(writable, read_write.is_some());
    }
    OK
}
