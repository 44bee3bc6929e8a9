//! A web page on a board: `/` for a person, `/state.json` for a program.
#![no_std]
#![forbid(unsafe_code)]

mod json;
mod page;
mod request;
mod response;
mod threads;

use request::{Asked, Request};
use response::Response;
use riposte::{Duration, Instant, println};
use riposte_network::{Network, NetworkError, Stream};

/// Where web pages are.
const PORT: u16 = 80;
/// How many may have come while one is served.
const BACKLOG: usize = 4;
/// How long somebody who has come may take to say what he wants.
const PATIENCE: Duration = Duration::from_secs(5);

#[riposte::main]
fn main() {
    let mut network = Network::connect("network").unwrap();
    loop {
        let error = serve(&network).err();
        println!("page: the network server began again ({error:?})");
        network.reconnect().unwrap();
    }
}

/// Serves whoever comes, until the network server ends.
fn serve(network: &Network) -> Result<(), NetworkError> {
    let listener = network.listen(PORT, BACKLOG)?;
    println!("page: at port {PORT}");
    loop {
        let (stream, _) = listener.accept()?;
        // Whoever has left, or says nothing, is not waited for.
        if answer(network, &stream) == Err(NetworkError::ServerDied) {
            return Err(NetworkError::ServerDied);
        }
    }
}

fn answer(network: &Network, stream: &Stream<'_>) -> Result<(), NetworkError> {
    let asked = Request::new().read(stream, Instant::now() + PATIENCE)?;
    let mut response = Response::new(stream);
    match asked {
        Asked::Page => {
            response.begin("200 OK", "text/html; charset=utf-8");
            page::write(&mut response, &network.state()?);
        }
        Asked::State => {
            response.begin("200 OK", "application/json");
            json::write(&mut response, &network.state()?);
        }
        Asked::Nothing => {
            response.begin("404 Not Found", "text/plain");
            response.text("There is / and /state.json.\n");
        }
        Asked::Garbled => {
            response.begin("400 Bad Request", "text/plain");
            response.text("That was no request.\n");
        }
    }
    response.end()
}
