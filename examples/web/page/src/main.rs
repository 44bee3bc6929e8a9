//! A web page on a board: `/` for a person, `/state.json` for a program.
#![no_std]
#![forbid(unsafe_code)]

mod json;
mod page;
mod request;
mod response;
mod threads;

use request::{Asked, Question, Request};
use response::Response;
use riposte::{Duration, Instant, println};
use riposte_network::{Network, NetworkError, Stream};

/// Where web pages are.
const PORT: u16 = 80;
/// How many may have come while one is served.
const BACKLOG: usize = 4;
/// How long somebody who has come may take to say what he wants, and to take what he is answered.
const PATIENCE: Duration = Duration::from_secs(5);
/// Most bytes that are read of what somebody says behind his request.
const MOST_UNREAD: usize = 64 << 10;

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
        // Whoever has left, says nothing, or takes no answer is not waited for.
        if answer(network, &stream) == Err(NetworkError::ServerDied) {
            return Err(NetworkError::ServerDied);
        }
    }
}

fn answer(network: &Network, stream: &Stream<'_>) -> Result<(), NetworkError> {
    let until = Instant::now() + PATIENCE;
    let Question { asked, of_head } = Request::new().read(stream, until)?;
    let mut response = Response::new(stream, until);
    let is_read = matches!(asked, Asked::Page | Asked::State);
    match asked {
        Asked::Page => {
            response.begin("200 OK", "text/html; charset=utf-8");
            response.body(of_head);
            page::write(&mut response, &network.state()?);
        }
        Asked::State => {
            response.begin("200 OK", "application/json");
            response.body(of_head);
            json::write(&mut response, &network.state()?);
        }
        Asked::Nothing => {
            response.begin("404 Not Found", "text/plain");
            response.body(of_head);
            response.text("There is / and /state.json.\n");
        }
        Asked::NotRead => {
            response.begin("405 Method Not Allowed", "text/plain");
            response.text("Allow: GET, HEAD\r\n");
            response.body(of_head);
            response.text("This can be read (GET, HEAD), and nothing else.\n");
        }
        Asked::Garbled => {
            response.begin("400 Bad Request", "text/plain");
            response.body(of_head);
            response.text("That was no request.\n");
        }
    }
    response.end()?;
    if is_read {
        Ok(())
    } else {
        leave(stream, until)
    }
}

/// Reads what somebody still says, to his end: what is left unread when a stream is closed resets it, and the answer with it.
fn leave(stream: &Stream<'_>, until: Instant) -> Result<(), NetworkError> {
    let mut said = [0; 256];
    for _ in 0..MOST_UNREAD / said.len() {
        if stream.read_until(&mut said, until)? == 0 {
            break;
        }
    }
    Ok(())
}
