//! A real browser without a window, driven by its own protocol: JSON over two pipes, each message ended by a zero.
//! Each test uses a part of this.
#![allow(dead_code)]

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Where browsers of Debian and of others are.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];
/// So long a browser may take for one answer, on a machine that is busy.
const PATIENCE: Duration = Duration::from_mins(2);

/// A browser with one page.
pub struct Browser {
    child: Child,
    to: File,
    from: Receiver<Value>,
    /// What it said unasked, and was not waited for.
    events: VecDeque<Value>,
    asked: u64,
    session: Option<String>,
}

impl Browser {
    /// Starts one, whose profile and pipes are in `folder`.
    pub fn open(folder: &Path) -> Browser {
        let name = BROWSERS
            .into_iter()
            .find_map(riposte_host::toolchain::on_path);
        let name = name.expect("no browser is here; get one: apt-get install chromium");
        let [to, from] = ["to", "from"].map(|it| folder.join(it));
        let made = Command::new("mkfifo").args([&to, &from]).status();
        assert!(made.expect("mkfifo runs").success());
        let child = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<to 4>from"])
            .arg(name)
            .args(["--headless", "--no-sandbox", "--disable-gpu"])
            .args(["--no-first-run", "--disable-sync", "--disable-quic"])
            .args([
                "--disable-background-networking",
                "--disable-component-update",
            ])
            .arg("--hide-scrollbars")
            .arg("--remote-debugging-pipe")
            .arg(format!(
                "--user-data-dir={}",
                folder.join("profile").display()
            ))
            .current_dir(folder)
            .stderr(Stdio::null())
            .spawn()
            .expect("sh runs");
        // In the order in which the shell opens them.
        let to = OpenOptions::new().write(true).open(to).expect("a pipe");
        let from = File::open(from).expect("a pipe");
        let (heard, all) = channel();
        std::thread::spawn(move || {
            let messages = BufReader::new(from).split(0).map_while(Result::ok);
            for message in messages {
                let message = serde_json::from_slice(&message).expect("JSON");
                if heard.send(message).is_err() {
                    break;
                }
            }
        });
        let mut browser = Browser {
            child,
            to,
            from: all,
            events: VecDeque::new(),
            asked: 0,
            session: None,
        };
        let page = browser.ask("Target.createTarget", json!({ "url": "about:blank" }));
        let target = json!({ "targetId": page["targetId"], "flatten": true });
        let attached = browser.ask("Target.attachToTarget", target);
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log"] {
            browser.ask(&format!("{domain}.enable"), json!({}));
        }
        browser
    }

    /// What the browser answers.
    pub fn ask(&mut self, method: &str, parameters: Value) -> Value {
        self.asked += 1;
        let mut message = json!({ "id": self.asked, "method": method, "params": parameters });
        // What concerns the browser is not asked of its page.
        let of_page = !method.starts_with("Target.") && !method.starts_with("Browser.");
        if let (Some(session), true) = (&self.session, of_page) {
            message["sessionId"] = json!(session);
        }
        self.to
            .write_all(format!("{message}\0").as_bytes())
            .expect("the browser listens");
        let number = self.asked;
        let answer = self.heard(&|it| it["id"] == number, method);
        assert!(answer["error"].is_null(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// What comes next of what is wanted; the rest is kept.
    fn heard(&mut self, wanted: &dyn Fn(&Value) -> bool, what: &str) -> Value {
        let until = Instant::now() + PATIENCE;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let message = self.from.recv_timeout(left);
            let message = message.unwrap_or_else(|error| panic!("{what}: {error}"));
            if wanted(&message) {
                return message;
            }
            self.events.push_back(message);
        }
    }

    /// Waits for an event.
    pub fn event(&mut self, method: &str, of: &dyn Fn(&Value) -> bool) -> Value {
        let is = |it: &Value| it["method"] == method && of(&it["params"]);
        match self.events.iter().position(is) {
            Some(at) => self.events.remove(at).expect("it is there"),
            None => self.heard(&is, method),
        }
    }

    /// Shows a file, to its end.
    pub fn show(&mut self, file: &Path) {
        self.go(&format!("file://{}", file.display()));
    }

    /// Shows what is at an address, to its end.
    pub fn go(&mut self, url: &str) {
        self.events.clear();
        self.ask("Page.navigate", json!({ "url": url }));
        self.event("Page.loadEventFired", &|_| true);
    }

    /// A screen of so many pixels.
    pub fn screen(&mut self, width: usize, height: usize) {
        let screen =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.ask("Emulation.setDeviceMetricsOverride", screen);
    }

    /// Paper or a screen, light or dark.
    pub fn media(&mut self, media: &str, scheme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        let asked = json!({ "media": media, "features": features });
        self.ask("Emulation.setEmulatedMedia", asked);
    }

    /// What a program in the page comes to, when that is there.
    pub fn run(&mut self, program: &str) -> Value {
        let asked = json!({ "expression": program, "awaitPromise": true, "returnByValue": true });
        let answer = self.ask("Runtime.evaluate", asked);
        assert!(
            answer["exceptionDetails"].is_null(),
            "{}",
            answer["exceptionDetails"]
        );
        answer["result"]["value"].clone()
    }

    /// Presses and releases the mouse in the middle of what is selected.
    pub fn press(&mut self, selector: &str) {
        let place = self.run(&format!(
            "(() => {{ const it = document.querySelector({selector:?}); it.scrollIntoView({{ block: 'center' }});
                const at = it.getBoundingClientRect(); return [at.x + at.width / 2, at.y + at.height / 2]; }})()"
        ));
        self.click(&place);
    }

    /// Presses and releases the mouse at a place of the page.
    pub fn click(&mut self, place: &Value) {
        for kind in ["mousePressed", "mouseReleased"] {
            let pressed = json!({
                "type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1,
            });
            self.ask("Input.dispatchMouseEvent", pressed);
        }
    }

    /// Presses and releases a key, by its name and number, with Shift if wanted.
    pub fn key(&mut self, name: &str, number: u64, with_shift: bool) {
        let modifiers = if with_shift { 8 } else { 0 };
        for kind in ["rawKeyDown", "keyUp"] {
            let pressed = json!({
                "type": kind, "key": name, "code": name, "windowsVirtualKeyCode": number, "modifiers": modifiers,
            });
            self.ask("Input.dispatchKeyEvent", pressed);
        }
    }

    /// What is saved into `folder` when that is pressed, under the name that the page gives it.
    pub fn saved(&mut self, selector: &str, folder: &Path) -> (String, String) {
        let asked = json!({ "behavior": "allow", "downloadPath": folder, "eventsEnabled": true });
        self.ask("Browser.setDownloadBehavior", asked);
        self.press(selector);
        let begun = self.event("Browser.downloadWillBegin", &|_| true);
        let (file, guid) = (
            &begun["params"]["suggestedFilename"],
            begun["params"]["guid"].clone(),
        );
        let name = file.as_str().expect("a name").to_owned();
        self.event("Browser.downloadProgress", &|it| {
            it["guid"] == guid && it["state"] == "completed"
        });
        let text = std::fs::read_to_string(folder.join(&name)).expect("it was saved");
        (name, text)
    }

    /// What the console and the browser's own log have said since the page was shown.
    pub fn complaints(&mut self) -> Vec<String> {
        // All that was said before this answer is heard.
        self.run("0");
        let spoken = [
            "Runtime.consoleAPICalled",
            "Runtime.exceptionThrown",
            "Log.entryAdded",
        ];
        let said = self.events.iter();
        said.filter(|it| spoken.iter().any(|name| it["method"] == *name))
            .map(|it| it["params"].to_string())
            .collect()
    }

    /// The screen as it is, as a PNG.
    pub fn picture(&mut self) -> Vec<u8> {
        let shot = self.ask("Page.captureScreenshot", json!({ "format": "png" }));
        bytes(shot["data"].as_str().expect("base64"))
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It ends by itself when nobody speaks to it any more; whatever it does, it does not stay.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The bytes that a text in base64 stands for.
fn bytes(text: &str) -> Vec<u8> {
    let value = |letter: u8| match letter {
        b'A'..=b'Z' => Some(letter - b'A'),
        b'a'..=b'z' => Some(letter - b'a' + 26),
        b'0'..=b'9' => Some(letter - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let values: Vec<u8> = text.bytes().filter_map(value).collect();
    let mut bytes = Vec::with_capacity(values.len() * 3 / 4);
    for four in values.chunks(4) {
        let joined = four.iter().fold(0_u32, |sum, it| sum << 6 | u32::from(*it));
        let joined = joined << (6 * (4 - four.len()));
        let three = joined.to_be_bytes();
        bytes.extend(&three[1..four.len()]);
    }
    bytes
}

#[test]
fn base64_is_read_to_the_last_byte() {
    let read = ["QQ==", "QUI=", "QUJD", "+/8A"].map(bytes);
    assert_eq!(read, [&b"A"[..], b"AB", b"ABC", &[0xfb, 0xff, 0]]);
}
