//! The `log` façade's own registration.

use log::{LevelFilter, Log, SetLoggerError};

/// Makes `logger` that of the process, from `level` on. The caller lets one thread at a time do it.
///
/// # Errors
/// [`SetLoggerError`] if the process has one.
#[cfg(target_has_atomic = "ptr")]
pub fn install(logger: &'static dyn Log, level: LevelFilter) -> Result<(), SetLoggerError> {
    log::set_logger(logger)?;
    log::set_max_level(level);
    Ok(())
}

/// The same on a processor without atomic instructions.
#[cfg(not(target_has_atomic = "ptr"))]
pub fn install(logger: &'static dyn Log, level: LevelFilter) -> Result<(), SetLoggerError> {
    // SAFETY: nobody else is at it meanwhile: one thread at a time comes here, and another crate would have to say in
    // an `unsafe` of its own that this one does not.
    unsafe {
        log::set_logger_racy(logger)?;
        log::set_max_level_racy(level);
    }
    Ok(())
}
