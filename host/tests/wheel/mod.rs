//! A file of a package on PyPI, fetched once and kept in the target folder.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Package, version, hash of its wheel for Python 3.11 on an x86_64 Linux or for any, and a file or folder in it.
pub type Wheel = [&'static str; 4];

/// Where what is in the wheel lies.
pub fn fetched([package, version, hash, member]: Wheel) -> PathBuf {
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let folder = kept.join(format!("{package}-{version}"));
    let place = folder.join(member);
    if place.exists() {
        return place;
    }
    let wheels = tempfile::tempdir_in(kept).unwrap();
    let wanted = wheels.path().join("wanted.txt");
    let line = format!("{package}=={version} --hash=sha256:{hash}\n");
    std::fs::write(&wanted, line).unwrap();
    let download = [
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--require-hashes",
        "--only-binary=:all:",
        "--python-version=3.11",
        "--platform=manylinux2014_x86_64",
        "--dest",
    ];
    let download = download.map(Path::new);
    python(&[&download[..], &[wheels.path(), Path::new("-r"), &wanted]].concat());
    let files = std::fs::read_dir(wheels.path()).unwrap().flatten();
    let wheel = files
        .map(|it| it.path())
        .find(|it| it.extension().is_some_and(|it| it == "whl"));
    let wheel = wheel.expect("a wheel");
    // Whole, or not there: another test may look meanwhile.
    let unpacked = tempfile::tempdir_in(kept).unwrap();
    let unpack = ["-m", "zipfile", "-e"].map(Path::new);
    python(&[&unpack[..], &[&wheel, unpacked.path()]].concat());
    if std::fs::rename(unpacked.keep(), &folder).is_err() {
        assert!(place.exists(), "{} is not there", place.display());
    }
    place
}

fn python(arguments: &[&Path]) {
    let output = Command::new("python3").args(arguments).output();
    let output = output.expect("python3 is missing: apt-get install python3 python3-pip");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
}
