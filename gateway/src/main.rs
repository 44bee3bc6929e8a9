//! `riposte-gateway CONFIG.toml`: runs until it is ended.

use std::path::Path;

use miette::miette;
use riposte_gateway::{Config, Gateway};

fn main() -> miette::Result<()> {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(file), None) = (arguments.next(), arguments.next()) else {
        return Err(miette!(
            help = "gateway/README.md has an example of such a file",
            "usage: riposte-gateway CONFIG.toml"
        ));
    };
    let config = Config::read(Path::new(&file))?;
    let gateway = Gateway::open(config)?;
    for line in gateway.says() {
        eprintln!("riposte-gateway: {line}");
    }
    gateway.run()
}
