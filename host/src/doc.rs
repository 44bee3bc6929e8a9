//! `./riposte doc`: the reference of the Rust library.

use crate::build::cargo;
use crate::cli;
use crate::json;
use crate::lab::Lab;
use crate::progress::Step;
use crate::toolchain::Toolchain;

/// Builds the pages of the Rust library, says where they are, and opens them in a browser if that is asked for.
///
/// # Errors
/// The toolchain is not there, or the library does not build.
pub fn doc(lab: &Lab, asked: &cli::Doc) -> miette::Result<()> {
    let toolchain = Toolchain::find(&lab.root)?;
    let mut command = toolchain.cargo();
    command.args(["doc", "--quiet", "--package", "riposte", "--no-deps"]);
    if asked.open {
        command.arg("--open");
    }
    let step = Step::begin("building the reference of the Rust library");
    cargo::run(&mut command, "the reference of the Rust library")?;
    drop(step);
    let page = lab.root.join("target/doc/riposte/index.html");
    if asked.json {
        return json::print(&serde_json::json!({ "page": page }));
    }
    println!("{}", page.display());
    Ok(())
}
