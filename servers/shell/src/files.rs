//! Commands about files.

use core::fmt::Write;

use riposte::console::Plain;
use riposte_files::{Entry, File, FileError, Files, Kind, Options, SeekFrom};
use shell_line::Redirection;

use crate::error::Failed;
use crate::keys;
use crate::out::Out;
use riposte_stdio::Output;

/// Bytes that are copied at once.
const PIECE: usize = 256;

/// The files server of the manifest.
pub fn connect() -> Result<Files, Failed<'static>> {
    Files::connect("files").map_err(|error| match error {
        FileError::Connect(error) => Failed::connect(
            error,
            "no files",
            "a [[connection]] `files` to a files server",
        ),
        error => Failed::File("/", error),
    })
}

/// The file to which output is redirected.
pub fn target<'a, 'b>(
    files: &'b Files,
    how: Redirection,
    path: &'a str,
) -> Result<File<'b>, Failed<'a>> {
    // What a program writes meanwhile stays before what the shell does.
    let options = Options::new().write().create().append();
    let options = match how {
        Redirection::Replace => options.truncate(),
        Redirection::Append => options,
    };
    files.open(path, options).map_err(at(path))
}

/// What went wrong at a path.
pub fn at<'a>(path: &'a str) -> impl FnOnce(FileError) -> Failed<'a> {
    move |error| Failed::File(path, error)
}

/// `ls`: the entries of a directory, or a file.
pub fn list<'a>(arguments: &[&'a str], out: &mut Out<'_>) -> Result<(), Failed<'a>> {
    let path = match *arguments {
        [] => "/",
        [path] => path,
        _ => return Err(Failed::Usage("ls [PATH]")),
    };
    let files = connect()?;
    let stat = files.stat(path).map_err(at(path))?;
    if stat.kind != Kind::Directory {
        let _ = writeln!(out, "{:>8}  {path}", stat.size);
        return Ok(());
    }
    each_entry(&files, path, |entry| {
        keys::go_on()?;
        let name = Plain(entry.name());
        let _ = match entry.stat.kind {
            Kind::Directory => writeln!(out, "{:>8}  {name}/", ""),
            _ => writeln!(out, "{:>8}  {name}", entry.stat.size),
        };
        Ok(())
    })
}

/// Shows each entry of a directory to `see`, until that fails.
pub fn each_entry<'a>(
    files: &Files,
    path: &'a str,
    mut see: impl FnMut(&Entry) -> Result<(), Failed<'a>>,
) -> Result<(), Failed<'a>> {
    let directory = files.read_dir(path).map_err(at(path))?;
    while let Some(entry) = directory.next_entry().map_err(at(path))? {
        see(&entry)?;
    }
    Ok(())
}

/// `cat`: what is in files, one after the other.
pub fn show<'a>(paths: &[&'a str], out: &mut Out<'_>) -> Result<(), Failed<'a>> {
    if paths.is_empty() {
        return Err(Failed::Usage("cat PATH..."));
    }
    let files = connect()?;
    for path in paths {
        copy_to(&files, path, out)?;
    }
    Ok(())
}

fn copy_to<'a>(files: &Files, path: &'a str, out: &mut Output<'_>) -> Result<(), Failed<'a>> {
    let file = files.open(path, Options::new().read()).map_err(at(path))?;
    copy_from(&file, path, out)
}

fn copy_from<'a>(file: &File<'_>, path: &'a str, out: &mut Output<'_>) -> Result<(), Failed<'a>> {
    let mut piece = [0; PIECE];
    loop {
        keys::go_on()?;
        match file.read(&mut piece).map_err(at(path))? {
            0 => return Ok(()),
            length => out.bytes(piece.get(..length).unwrap_or_default()),
        }
    }
}

/// `cp`: a file of the same bytes.
pub fn copy<'a>(paths: &[&'a str], _: &mut Out<'_>) -> Result<(), Failed<'a>> {
    let &[from, to] = paths else {
        return Err(Failed::Usage("cp FROM TO"));
    };
    let files = connect()?;
    let is_same = from == to;
    if is_same {
        return Err(Failed::File(to, FileError::Exists));
    }
    let stat = files.stat(from).map_err(at(from))?;
    if stat.kind == Kind::Directory {
        return Err(Failed::File(from, FileError::IsDirectory));
    }
    // Before anything is written: where it cannot be opened, the other file stays as it is.
    let source = files.open(from, Options::new().read()).map_err(at(from))?;
    // Emptied first, it would be the end of a file whose other path this is.
    let target = Options::new().write().create();
    let target = files.open(to, target).map_err(at(to))?;
    let before = target.stat().map_err(at(to))?;
    if stat.id != 0 && before.id == stat.id {
        return Err(Failed::File(to, FileError::Exists));
    }
    let mut out = Output::file(target.try_clone().map_err(at(to))?);
    let copied = copy_from(&source, from, &mut out);
    let written = out.finish().map_err(|error| Failed::Stream(to, error));
    let done = copied.and(written);
    // A volume that numbers no files does not say whether it is the same one: it keeps what was not copied.
    if done.is_err() && stat.id == 0 && before.size == stat.size {
        return done;
    }
    // What is left of another one.
    let end = target.seek(SeekFrom::Current(0)).map_err(at(to))?;
    target.truncate(end).map_err(at(to))?;
    done
}

/// `mv`: another name.
pub fn rename<'a>(paths: &[&'a str], _: &mut Out<'_>) -> Result<(), Failed<'a>> {
    let &[from, to] = paths else {
        return Err(Failed::Usage("mv FROM TO"));
    };
    connect()?.rename(from, to).map_err(at(from))
}

/// `rm`: a file, or an empty directory.
pub fn remove<'a>(paths: &[&'a str], _: &mut Out<'_>) -> Result<(), Failed<'a>> {
    if paths.is_empty() {
        return Err(Failed::Usage("rm PATH..."));
    }
    let files = connect()?;
    let removed = |path: &&'a str| files.remove(path).map_err(at(path));
    paths.iter().try_for_each(removed)
}

/// `mkdir`: a directory.
pub fn make<'a>(paths: &[&'a str], _: &mut Out<'_>) -> Result<(), Failed<'a>> {
    let &[path] = paths else {
        return Err(Failed::Usage("mkdir PATH"));
    };
    connect()?.create_dir(path).map_err(at(path))
}

/// `df`: what there is of the disk.
pub fn space<'a>(_: &[&'a str], out: &mut Out<'_>) -> Result<(), Failed<'a>> {
    let space = connect()?.space().map_err(at("/"))?;
    let kept = |blocks: u32| u64::from(blocks) * u64::from(space.block);
    let _ = writeln!(
        out,
        "{} bytes, {} free; this process may still use {}, and make {} files or directories",
        kept(space.blocks),
        kept(space.free),
        kept(space.left),
        space.entries
    );
    Ok(())
}
