//! What can be found by name.

use core::fmt::Write;

use riposte_names::{NameError, Names};

use crate::error::Failed;
use crate::out::Out;

/// `names`: those in a folder that the shell may find.
pub fn list<'a>(arguments: &[&'a str], out: &mut Out<'_>) -> Result<(), Failed<'a>> {
    let folder = match *arguments {
        [] => "/",
        [folder] => folder,
        _ => return Err(Failed::Usage("names [FOLDER]")),
    };
    let names = Names::connect().map_err(|error| match error {
        NameError::Connect(error) => Failed::connect(
            error,
            "no names",
            "`finds = [\"/*\"]`, and the manifest a names server",
        ),
        error => Failed::Name(error),
    })?;
    let mut place = 0;
    while let Some(listed) = names.list(folder, place).map_err(Failed::Name)? {
        let _ = writeln!(out, "{}", listed.name());
        place = listed.next;
    }
    Ok(())
}
