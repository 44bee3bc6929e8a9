//! A board's network, from the machine on which it is emulated.

mod tool;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;

use riposte_host::lab::Lab;
use tool::{Running, Tool, remove_images, wait_for};

/// The web page's example runs.
fn run(board: &str) -> (Running, String) {
    let lab = Lab::open().expect("the repository");
    let mut running = Tool::new(&["run", "web", "--board", board])
        .env("RIPOSTE_ROOT", &lab.root)
        .start();
    let line = running.says("the board's web page: http://");
    let (_, address) = line.split_once("http://").expect("an address");
    let address = address.trim_end_matches('/').to_owned();
    running.says("page: at port 80");
    (running, address)
}

fn connect(address: &str) -> TcpStream {
    let stream = TcpStream::connect(address).expect("the emulator listens");
    let long = Some(tool::LONG);
    stream.set_read_timeout(long).expect("a time");
    stream
}

/// What comes back, head and body.
fn ask(stream: &mut TcpStream, request: &[u8]) -> (String, String) {
    stream.write_all(request).expect("it takes it");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    (head.to_owned(), body.to_owned())
}

fn get(address: &str, path: &str) -> (String, String) {
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n");
    ask(&mut connect(address), request.as_bytes())
}

#[test]
fn a_board_serves_a_web_page_with_its_state() {
    for board in ["virt-rv32", "mps2-an386", "virt-rv32-mmu"] {
        let (running, address) = run(board);
        let (head, body) = get(&address, "/state.json");
        assert!(head.starts_with("HTTP/1.1 200 OK"), "{board}: {head}");
        let state: serde_json::Value = serde_json::from_str(&body).expect(&body);
        let threads = state["threads"].as_array().expect("threads");
        let does = |process: &str| {
            let found = threads.iter().find(|it| it["process"] == process);
            found.expect(process)["does"].as_str().expect("text")
        };
        assert_eq!(does("page"), "runs");
        assert_eq!(does("ethernet"), "receives at ethernet");
        // The emulator's network gives the first address that it has to who asks for one.
        assert_eq!(state["network"]["address"], "10.0.2.15");
        assert_eq!(state["network"]["link"], true);
        let (head, body) = get(&address, "/");
        assert!(head.contains("text/html"), "{board}: {head}");
        assert!(body.contains("<td>network<td class=n>0"), "{board}: {body}");
        assert!(body.ends_with("</html>\n"), "{board}: {body}");
        let (head, _) = get(&address, "/none");
        assert!(head.starts_with("HTTP/1.1 404"), "{board}: {head}");
        // A request that comes in pieces, and what is none.
        let mut stream = connect(&address);
        stream
            .write_all(b"GET /state.json HT")
            .expect("it takes it");
        let (head, _) = ask(&mut stream, b"TP/1.0\r\n\r\n");
        assert!(head.starts_with("HTTP/1.1 200"), "{board}: {head}");
        let (head, _) = ask(&mut connect(&address), b"\xFF\0 \r\n\r\n");
        assert!(head.starts_with("HTTP/1.1 400"), "{board}: {head}");
        let (head, _) = ask(&mut connect(&address), &[b'x'; 2048]);
        assert!(head.starts_with("HTTP/1.1 400"), "{board}: {head}");
        // Who asks for a head gets no more, and who wants to write is told what can be done instead.
        let (head, body) = ask(&mut connect(&address), b"HEAD / HTTP/1.1\r\n\r\n");
        assert!(head.starts_with("HTTP/1.1 200"), "{board}: {head}");
        assert!(
            head.contains("text/html") && body.is_empty(),
            "{board}: {body}"
        );
        let written = format!("POST / HTTP/1.1\r\n\r\n{}", "x".repeat(10_000));
        let (head, _) = ask(&mut connect(&address), written.as_bytes());
        assert!(head.starts_with("HTTP/1.1 405"), "{board}: {head}");
        assert!(head.contains("\r\nAllow: GET, HEAD"), "{board}: {head}");
        // More come at once than may wait: the others come again by themselves, and all are answered.
        let all = [(); 8].map(|()| {
            let address = address.clone();
            thread::spawn(move || get(&address, "/state.json").0)
        });
        for one in all {
            let head = one.join().expect("an answer");
            assert!(head.starts_with("HTTP/1.1 200"), "{board}: {head}");
        }
        // Those who come and say nothing, or leave at once, do not keep others out for ever.
        let silent: Vec<TcpStream> = (0..2).map(|_| connect(&address)).collect();
        drop([(); 4].map(|()| connect(&address)));
        let served = wait_for(|| {
            let mut stream = connect(&address);
            let mut answer = String::new();
            stream.write_all(b"GET / HTTP/1.1\r\n\r\n").ok()?;
            stream.read_to_string(&mut answer).ok()?;
            Some(answer).filter(|it| !it.is_empty())
        });
        assert!(served.starts_with("HTTP/1.1 200"), "{board}: {served}");
        drop(silent);
        drop(running);
    }
}

/// Two network servers that are told of gateways that are no hosts. What they need besides is there.
const NO_GATEWAY: &str = r#"
[application]
name = "no-gateway"
boards = ["virt-rv32"]

[supervisor]
channel = "faults"

[[process]]
name = "supervisor"
program = "supervisor"
priority = 18
stack = "4KiB"
grants = ["supervisor"]

[[process]]
name = "console"
program = "console"
priority = 20
stack = "2KiB"
peripherals = ["uart0"]

[[process]]
name = "old"
program = "network"
priority = 10
stack = "32KiB"
settings = { address = "10.0.2.15", gateway = "0.0.0.0" }

[[process]]
name = "new"
program = "network-ipv6"
priority = 9
stack = "40KiB"
settings = { address-ipv6 = "fd00::1", gateway-ipv6 = "ff02::1" }

[[channel]]
name = "console"
owner = "console"

[[channel]]
name = "faults"
owner = "supervisor"

[[channel]]
name = "old"
owner = "old"
notify = ["client-died", "unblock"]
client_names = true

[[channel]]
name = "new"
owner = "new"
notify = ["client-died", "unblock"]
client_names = true

[[channel]]
name = "ethernet"
owner = "supervisor"

[[connection]]
from = "supervisor"
to = "console"

[[connection]]
from = "old"
to = "ethernet"

[[connection]]
from = "new"
to = "ethernet"
"#;

/// Both end at their start, and say so of one of these settings each.
fn end_for(manifest: &str, settings: [&str; 2]) {
    let lab = Lab::open().expect("the repository");
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("app.toml"), manifest).expect("written");
    let mut running = Tool::new(&["run", "--virtual", "--board", "virt-rv32"])
        .arg(folder.path())
        .env("RIPOSTE_ROOT", &lab.root)
        .start();
    for (process, setting) in ["old", "new"].into_iter().zip(settings) {
        let line = running.says(&format!("process `{process}` panicked"));
        let said = format!("`{setting}` in the network server's `settings` in app.toml is no host");
        assert!(line.contains(&said), "no `{said}` in: {line}");
    }
    drop(running);
    remove_images(&lab, folder.path());
}

#[test]
fn a_gateway_that_is_no_host_ends_the_server_at_its_start_with_the_setting_to_change() {
    end_for(NO_GATEWAY, ["gateway", "gateway-ipv6"]);
}

#[test]
fn a_server_of_names_that_is_no_host_ends_the_server_at_its_start_too() {
    let manifest = NO_GATEWAY
        .replace("gateway = ", "dns-2 = \"10.0.2.3\", dns = ")
        .replace("gateway-ipv6 = ", "dns-ipv6 = ");
    end_for(&manifest, ["dns-ipv6", "dns-ipv6"]);
}
