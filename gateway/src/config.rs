//! What the configuration says: of this node, of the boards that it knows, and of the zenoh network.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use miette::{IntoDiagnostic, WrapErr, miette};
use node_circuits::{CIRCUITS, KEY, NAME, PEERS, PairKey};
use serde::Deserialize;
use zenoh::key_expr::KeyExpr;

/// How long a request may take if the configuration does not say, in milliseconds.
const PATIENCE: u64 = 5000;

/// All that a gateway is told.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// What the key expressions of its boards begin with, behind `riposte/`.
    pub cluster: String,
    /// This node's number, 1 to 255.
    pub number: u8,
    /// Where its frames come: address and port of this machine.
    pub listen: SocketAddr,
    /// How long a request from the zenoh network may take, in milliseconds.
    #[serde(default = "patience")]
    pub patience: u64,
    /// The zenoh network.
    #[serde(default)]
    pub zenoh: Zenoh,
    /// The boards.
    #[serde(default, rename = "peer")]
    pub peers: Vec<Peer>,
    /// What boards reach in the zenoh network.
    #[serde(default, rename = "remote")]
    pub remotes: Vec<Remote>,
}

/// How the zenoh network is found.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Zenoh {
    /// Routers or peers that it connects to, such as `tcp/10.0.0.1:7447`. Without any it looks for them by multicast.
    #[serde(default)]
    pub connect: Vec<String>,
    /// Where others connect to it.
    #[serde(default)]
    pub listen: Vec<String>,
}

/// A board.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Peer {
    /// Its name, in key expressions.
    pub name: String,
    /// Its number, 1 to 255.
    pub number: u8,
    /// Where it hears frames; if it is not there, where they come from, and until the first has come nobody reaches the board.
    pub address: Option<SocketAddr>,
    /// The file with the key that both have: 64 hexadecimal digits. Beside the configuration, if it is no whole path.
    pub key: PathBuf,
    /// Its names that can be asked for in the zenoh network, such as `/dev/thermometer`.
    #[serde(default)]
    pub names: Vec<String>,
}

/// Something in the zenoh network that boards reach.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Remote {
    /// The name by which boards know it, such as `/lamp`.
    pub name: String,
    /// The key expression that it asks.
    pub key: String,
    /// The boards that may; all if it is not there.
    pub boards: Option<Vec<String>>,
}

const fn patience() -> u64 {
    PATIENCE
}

impl Config {
    /// Reads a file and looks whether it makes sense. Paths of keys are whole then.
    ///
    /// # Errors
    /// What is wrong, and where.
    pub fn read(file: &Path) -> miette::Result<Config> {
        let text = std::fs::read_to_string(file)
            .into_diagnostic()
            .wrap_err_with(|| format!("cannot read {}", file.display()))?;
        let mut config: Config = toml::from_str(&text)
            .into_diagnostic()
            .wrap_err_with(|| format!("{} is no configuration of a gateway", file.display()))?;
        let folder = file.parent().unwrap_or(Path::new("."));
        for peer in &mut config.peers {
            peer.key = folder.join(&peer.key);
        }
        config.check()?;
        Ok(config)
    }

    fn check(&self) -> miette::Result<()> {
        check_chunk("cluster", &self.cluster)?;
        if self.peers.is_empty() || self.peers.len() > PEERS {
            return Err(miette!(
                help = "each [[peer]] is a board",
                "a gateway knows 1 to {PEERS} boards, this one {}",
                self.peers.len()
            ));
        }
        let mut numbers = vec![self.number];
        let mut names = Vec::new();
        for peer in &self.peers {
            check_chunk("name", &peer.name)?;
            if names.contains(&&peer.name) {
                return Err(miette!("two boards are called `{}`", peer.name));
            }
            names.push(&peer.name);
            numbers.push(peer.number);
            peer.names.iter().try_for_each(|name| check_name(name))?;
            if let Some(twice) = first_twice(&peer.names) {
                return Err(miette!(
                    help = "each query would be served twice",
                    "`{}` has the name `{twice}` twice",
                    peer.name
                ));
            }
        }
        numbers.sort_unstable();
        if numbers.first() == Some(&0) || numbers.windows(2).any(|two| two[0] == two[1]) {
            return Err(miette!(
                help = "`number` of the gateway and of each [[peer]], as the boards' manifests have them",
                "the numbers of nodes are 1 to 255, each of one node"
            ));
        }
        if self.patience == 0 {
            return Err(miette!(
                help = "`patience` is in milliseconds; {PATIENCE} without it",
                "no request can be answered in a `patience` of 0"
            ));
        }
        let most = node_circuits::PATIENCE;
        if self.patience > most.into() {
            return Err(miette!(
                help = "`patience` is in milliseconds; {PATIENCE} without it",
                "no board can be told of more than a `patience` of {most}"
            ));
        }
        let circuits: usize = self.peers.iter().map(|peer| peer.names.len()).sum();
        if circuits > CIRCUITS {
            return Err(miette!(
                "a gateway has {CIRCUITS} names of boards at most, this one {circuits}"
            ));
        }
        for (at, remote) in self.remotes.iter().enumerate() {
            check_name(&remote.name)?;
            if let Err(why) = KeyExpr::new(remote.key.as_str()) {
                return Err(miette!(
                    help = "such as `home/lamp`: parts with `/` between them, none of them empty",
                    "`{}` is `{}`, which is no key expression: {why}",
                    remote.name,
                    remote.key
                ));
            }
            let boards = remote.boards.iter().flatten();
            for board in boards {
                if !names.contains(&board) {
                    return Err(miette!(
                        help = "[[peer]] names the boards",
                        "`{}` is for a board `{board}`, which nobody is",
                        remote.name
                    ));
                }
            }
            let before = &self.remotes[..at];
            let mut own = names.iter().filter(|it| remote.is_for(it)).peekable();
            let is_taken = |board: &&String| {
                let mut same = before.iter().filter(|it| it.name == remote.name);
                same.any(|it| it.is_for(board))
            };
            if own.peek().is_some() && own.all(is_taken) {
                return Err(miette!(
                    help = "give it another name, or boards that the one before does not have",
                    "no board would reach the second remote `{}`",
                    remote.name
                ));
            }
        }
        Ok(())
    }
}

impl Peer {
    /// The key that both have.
    ///
    /// # Errors
    /// If there is no such file, or it holds no key.
    pub fn read_key(&self) -> miette::Result<PairKey> {
        let text = std::fs::read_to_string(&self.key)
            .into_diagnostic()
            .wrap_err_with(|| {
                format!(
                    "cannot read the key of `{}`, {}",
                    self.name,
                    self.key.display()
                )
            })?;
        let key = key_of(text.trim());
        key.map(PairKey).ok_or_else(|| {
            miette!(
                help = "`openssl rand -hex 32` makes one; the board has the same, word by word",
                "{} holds no key of 64 hexadecimal digits",
                self.key.display()
            )
        })
    }

    /// The key expression of one of its names.
    #[must_use]
    pub fn expression(&self, cluster: &str, name: &str) -> String {
        format!("riposte/{cluster}/{}{name}", self.name)
    }
}

impl Remote {
    /// Whether the board of this name may ask for it.
    fn is_for(&self, board: &str) -> bool {
        let mut named = self.boards.iter().flatten();
        self.boards.is_none() || named.any(|it| it == board)
    }
}

/// The first that is there before.
fn first_twice(names: &[String]) -> Option<&String> {
    let is_twice = |(at, name): &(usize, &String)| names[..*at].contains(name);
    names
        .iter()
        .enumerate()
        .find(is_twice)
        .map(|(_, name)| name)
}

fn key_of(digits: &str) -> Option<[u8; KEY]> {
    let mut key = [0; KEY];
    // A number may have a sign.
    if digits.len() != 2 * KEY || !digits.bytes().all(|it| it.is_ascii_hexdigit()) {
        return None;
    }
    for (at, byte) in key.iter_mut().enumerate() {
        *byte = u8::from_str_radix(digits.get(2 * at..2 * at + 2)?, 16).ok()?;
    }
    Some(key)
}

/// A part of a key expression that stands for itself.
fn check_chunk(what: &str, text: &str) -> miette::Result<()> {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || it == '-' || it == '_';
    if text.is_empty() || !text.chars().all(is_plain) {
        return Err(miette!(
            "`{what}` is letters, digits, `-` and `_`, and not `{text}`"
        ));
    }
    Ok(())
}

/// A name as nodes have them.
fn check_name(name: &str) -> miette::Result<()> {
    let parts = name.strip_prefix('/').map(|rest| rest.split('/'));
    let Some(mut parts) = parts.filter(|_| name.len() <= NAME) else {
        return Err(miette!(
            "a name begins with `/` and has at most {NAME} bytes, and `{name}` does not"
        ));
    };
    parts.try_for_each(|part| check_chunk("each part of a name", part))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Config, String> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("gateway.toml");
        std::fs::write(&file, text).unwrap();
        Config::read(&file).map_err(|it| format!("{it:?}"))
    }

    const PEER: &str = "[[peer]]\nname = 'rome'\nnumber = 1\naddress = '127.0.0.1:7201'\nkey = 'rome.key'\nnames = ['/dev/sun']\n";
    const REMOTE: &str = "[[remote]]\nname = '/lamp'\nkey = 'home/lamp'\n";
    const HEAD: &str = "cluster = 'plant'\nnumber = 9\nlisten = '127.0.0.1:0'\n";

    #[test]
    fn a_configuration_that_makes_sense_is_read() {
        let config = read(&format!(
            "{HEAD}{PEER}[[remote]]\nname = '/lamp'\nkey = 'home/lamp'\nboards = ['rome']\n"
        ));
        let config = config.unwrap();
        let rome = &config.peers[0];
        assert_eq!(
            rome.expression(&config.cluster, &rome.names[0]),
            "riposte/plant/rome/dev/sun"
        );
        assert_eq!(config.patience, PATIENCE);
        assert!(rome.key.is_absolute());
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_what_is_wrong() {
        let second = PEER.replace("rome'", "oslo'");
        let cases = [
            (HEAD.to_owned(), "knows 1 to 4 boards, this one 0"),
            (
                format!("{HEAD}{PEER}{PEER}"),
                "two boards are called `rome`",
            ),
            (format!("{HEAD}{PEER}{second}"), "the numbers of nodes"),
            (
                format!("{HEAD}{PEER}").replace("= 9", "= 0"),
                "the numbers of nodes",
            ),
            (
                format!("{HEAD}{PEER}").replace("/dev/sun", "dev/sun"),
                "a name begins with `/`",
            ),
            (
                format!("{HEAD}{PEER}").replace("/dev/sun", "/dev/*"),
                "each part of a name",
            ),
            (
                format!("{HEAD}{PEER}").replace("plant", "a/b"),
                "`cluster` is letters",
            ),
            (
                format!("{HEAD}{PEER}colour = 1\n"),
                "unknown field `colour`",
            ),
            (
                format!("{HEAD}{PEER}[[remote]]\nname = '/l'\nkey = 'k'\nboards = ['bonn']\n"),
                "which nobody is",
            ),
            (
                format!("{HEAD}{PEER}").replace("['/dev/sun']", "['/dev/sun', '/a', '/dev/sun']"),
                "`rome` has the name `/dev/sun` twice",
            ),
            (
                format!("{HEAD}{PEER}[[remote]]\nname = '/l'\nkey = '/home'\n"),
                "`/l` is `/home`, which is no key expression",
            ),
            (
                format!("{HEAD}{PEER}[[remote]]\nname = '/l'\nkey = ''\n"),
                "`/l` is ``, which is no key expression",
            ),
            (
                format!("{HEAD}{PEER}{REMOTE}{REMOTE}"),
                "no board would reach the second remote `/lamp`",
            ),
            (
                format!("{HEAD}{PEER}{REMOTE}{REMOTE}boards = ['rome']\n"),
                "no board would reach the second remote `/lamp`",
            ),
            (format!("patience = 0\n{HEAD}{PEER}"), "a `patience` of 0"),
            (
                format!("patience = 4294968\n{HEAD}{PEER}"),
                "more than a `patience` of 4294967",
            ),
        ];
        for (text, expected) in cases {
            let said = read(&text).unwrap_err();
            assert!(said.contains(expected), "{said}\n{text}");
        }
    }

    #[test]
    fn boards_can_call_different_things_by_one_name() {
        let second = PEER.replace("rome'", "oslo'").replace("= 1", "= 2");
        let of_rome = format!("{REMOTE}boards = ['rome']\n");
        for other in [REMOTE, &of_rome.replace("rome", "oslo")] {
            let text = format!("{HEAD}{PEER}{second}{of_rome}{other}");
            assert_eq!(read(&text).unwrap().remotes.len(), 2);
        }
    }

    #[test]
    fn a_key_is_64_digits() {
        assert_eq!(key_of(&"0f".repeat(32)), Some([15; KEY]));
        assert_eq!(key_of(&"0f".repeat(31)), None);
        assert_eq!(key_of(&"0g".repeat(32)), None);
        assert_eq!(key_of(&"+f".repeat(32)), None);
        assert_eq!(key_of(&"é".repeat(32)), None);
    }
}
