//! Random operations, beside a model that knows paths and bytes and nothing of blocks.

use std::collections::{BTreeMap, HashMap};

use super::*;

const CLIENTS: usize = 3;
const STEPS: usize = 6000;

/// A number that nobody expects.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % sides
    }
}

/// A file, or a directory. It is open as long as a description names it.
struct Node {
    bytes: Option<Vec<u8>>,
    /// Whose each block is.
    blocks: Vec<usize>,
    owner: usize,
}

#[derive(Clone, Copy)]
struct Handle {
    client: usize,
    description: usize,
    file: File,
}

struct Description {
    node: usize,
    options: Options,
    position: usize,
}

/// What should be there.
#[derive(Default)]
struct Model {
    /// The node of each path, without the root.
    paths: BTreeMap<String, usize>,
    nodes: HashMap<usize, Node>,
    descriptions: HashMap<usize, Description>,
    handles: Vec<Handle>,
    next: usize,
}

impl Model {
    fn number(&mut self) -> usize {
        self.next += 1;
        self.next
    }

    fn blocks(&self, client: usize) -> usize {
        let blocks = self.nodes.values().flat_map(|node| &node.blocks);
        blocks.filter(|owner| **owner == client).count()
    }

    fn entries(&self, client: usize) -> usize {
        let nodes = self.nodes.values();
        nodes.filter(|node| node.owner == client).count()
    }

    /// Forgets nodes without a name that nobody has open.
    fn sweep(&mut self) {
        let Model {
            paths,
            nodes,
            descriptions,
            handles,
            ..
        } = self;
        descriptions.retain(|number, _| handles.iter().any(|it| it.description == *number));
        let is_named = |node| paths.values().any(|it| *it == node);
        let is_open = |node| descriptions.values().any(|it| it.node == node);
        nodes.retain(|node, _| is_named(*node) || is_open(*node));
    }

    /// Refuses a path whose directory is not there.
    fn parent(&self, path: &str) -> Result<(), Refused> {
        let (parent, _) = path.rsplit_once('/').expect("it begins with one");
        if parent.is_empty() {
            return Ok(());
        }
        // The first part that is no directory says what is wrong.
        for end in parent.match_indices('/').map(|(end, _)| end).skip(1) {
            self.is_directory(&parent[..end])?;
        }
        self.is_directory(parent)
    }

    fn is_directory(&self, path: &str) -> Result<(), Refused> {
        let node = self.paths.get(path).ok_or(Refused::NotFound)?;
        match self.nodes[node].bytes {
            None => Ok(()),
            Some(_) => Err(Refused::NotDirectory),
        }
    }

    fn find(&self, path: &str) -> Result<Option<usize>, Refused> {
        self.parent(path)?;
        Ok(self.paths.get(path).copied())
    }

    fn is_empty(&self, path: &str) -> Result<(), Refused> {
        let within = format!("{path}/");
        match self.paths.keys().any(|it| it.starts_with(&within)) {
            true => Err(Refused::NotEmpty),
            false => Ok(()),
        }
    }

    fn create(
        &mut self,
        client: usize,
        path: &str,
        bytes: Option<Vec<u8>>,
    ) -> Result<usize, Refused> {
        if self.entries(client) >= SHARE.entries as usize {
            return Err(Refused::NoSpace);
        }
        let node = self.number();
        self.paths.insert(path.into(), node);
        self.nodes.insert(
            node,
            Node {
                bytes,
                blocks: vec![],
                owner: client,
            },
        );
        Ok(node)
    }

    fn open(&mut self, client: usize, path: &str, options: Options) -> Result<usize, Refused> {
        let handles = self.handles.iter().filter(|it| it.client == client);
        if handles.count() >= SHARE.files {
            return Err(Refused::TooManyOpen);
        }
        let node = match self.find(path)? {
            Some(_) if options.has(Options::EXCLUSIVE) => return Err(Refused::Exists),
            Some(node) => {
                let node_ref = self.nodes.get_mut(&node).expect("it has a name");
                match &mut node_ref.bytes {
                    None if options.0 & 6 != 0 => return Err(Refused::IsDirectory),
                    Some(bytes) if options.has(Options::TRUNCATE) => {
                        bytes.clear();
                        node_ref.blocks.clear();
                    }
                    _ => {}
                }
                node
            }
            None if options.has(Options::CREATE) => self.create(client, path, Some(vec![]))?,
            None => return Err(Refused::NotFound),
        };
        let number = self.number();
        self.descriptions.insert(
            number,
            Description {
                node,
                options,
                position: 0,
            },
        );
        Ok(number)
    }

    fn write(&mut self, handle: Handle, bytes: &[u8]) -> Result<usize, Refused> {
        let left = SHARE.blocks as usize - self.blocks(handle.client);
        let description = self
            .descriptions
            .get_mut(&handle.description)
            .expect("open");
        if !description.options.has(Options::WRITE) {
            return Err(Refused::BadFile);
        }
        let node = self.nodes.get_mut(&description.node).expect("open");
        let content = node.bytes.as_mut().expect("directories are not written");
        let start = match description.options.has(Options::APPEND) {
            true => content.len(),
            false => description.position,
        };
        if bytes.is_empty() {
            return Ok(0);
        }
        let most = (node.blocks.len() + left) * BLOCK;
        if start >= most {
            let too_large = start >= 30 * BLOCK;
            return Err(if too_large {
                Refused::TooLarge
            } else {
                Refused::NoSpace
            });
        }
        let count = bytes.len().min(most - start);
        let end = start + count;
        content.resize(content.len().max(end), 0);
        content[start..end].copy_from_slice(&bytes[..count]);
        let blocks = content.len().div_ceil(BLOCK);
        node.blocks
            .resize(blocks.max(node.blocks.len()), handle.client);
        description.position = end;
        Ok(count)
    }

    fn truncate(&mut self, handle: Handle, size: usize) -> Result<(), Refused> {
        let left = SHARE.blocks as usize - self.blocks(handle.client);
        let description = &self.descriptions[&handle.description];
        if !description.options.has(Options::WRITE) {
            return Err(Refused::BadFile);
        }
        let node = self.nodes.get_mut(&description.node).expect("open");
        let content = node.bytes.as_mut().expect("directories are not written");
        if size > content.len() && size > (node.blocks.len() + left) * BLOCK {
            let too_large = size > 30 * BLOCK;
            return Err(if too_large {
                Refused::TooLarge
            } else {
                Refused::NoSpace
            });
        }
        content.resize(size, 0);
        node.blocks.resize(size.div_ceil(BLOCK), handle.client);
        Ok(())
    }

    fn rename(&mut self, from: &str, to: &str) -> Result<(), Refused> {
        let node = self.find(from)?.ok_or(Refused::NotFound)?;
        let other = self.find(to)?;
        if other == Some(node) {
            return Ok(());
        }
        let within = format!("{from}/");
        let moved = self.nodes[&node].bytes.is_none();
        if let Some(other) = other {
            match (moved, self.nodes[&other].bytes.is_none()) {
                (true, false) => return Err(Refused::NotDirectory),
                (false, true) => return Err(Refused::IsDirectory),
                _ => {}
            }
        }
        if to.starts_with(&within) {
            return Err(Refused::Invalid);
        }
        if other.is_some() {
            self.is_empty(to)?;
        }
        let paths = std::mem::take(&mut self.paths);
        for (path, node) in paths {
            if path == to {
                continue;
            }
            let path = match path.strip_prefix(&within) {
                Some(rest) => format!("{to}/{rest}"),
                None if path == from => to.into(),
                None => path,
            };
            self.paths.insert(path, node);
        }
        Ok(())
    }

    fn contents(&self) -> Vec<(String, Option<Vec<u8>>)> {
        let paths = self.paths.iter();
        let paths = paths.map(|(path, node)| (path.clone(), self.nodes[node].bytes.clone()));
        paths.collect()
    }
}

struct Game {
    dice: Dice,
    disk: Disk,
    model: Model,
}

impl Game {
    /// One of few names in few directories, so that the same ones are met again.
    fn path(&mut self) -> String {
        let mut path = String::new();
        for _ in 0..=self.dice.roll(3) {
            path.push('/');
            path.push_str(["a", "b", "long-name-of-a-file", "d"][self.dice.roll(4)]);
        }
        path
    }

    fn handle(&mut self) -> Option<Handle> {
        let count = self.model.handles.len();
        (count > 0).then(|| self.model.handles[self.dice.roll(count)])
    }

    fn is_directory(&self, handle: Handle) -> bool {
        let node = self.model.descriptions[&handle.description].node;
        self.model.nodes[&node].bytes.is_none()
    }

    fn step(&mut self) {
        let client = self.dice.roll(CLIENTS);
        match self.dice.roll(20) {
            0..=3 => self.open(client),
            4..=7 => self.write(),
            8..=9 => self.read(),
            10 => self.seek(),
            11 => self.truncate(),
            12..=13 => self.close(),
            14 => self.duplicate(),
            15 => {
                let path = self.path();
                let found = self.model.find(&path).and_then(|node| match node {
                    Some(_) => Err(Refused::Exists),
                    None => self.model.create(client, &path, None).map(drop),
                });
                assert_eq!(self.disk.make_directory(client, path.as_bytes()), found);
            }
            16..=17 => {
                let path = self.path();
                let found = self.model.find(&path).and_then(|node| {
                    node.ok_or(Refused::NotFound)?;
                    self.model.is_empty(&path)
                });
                assert_eq!(self.disk.remove(path.as_bytes()), found);
                if found.is_ok() {
                    self.model.paths.remove(&path);
                }
            }
            18 => {
                let (from, to) = (self.path(), self.path());
                let found = self.model.rename(&from, &to);
                let renamed = self.disk.rename(from.as_bytes(), to.as_bytes());
                assert_eq!(renamed, found, "{from} {to}");
            }
            _ if self.dice.roll(8) == 0 => {
                self.disk.leave(client);
                self.model.handles.retain(|it| it.client != client);
            }
            _ => {}
        }
        self.model.sweep();
    }

    fn open(&mut self, client: usize) {
        let path = self.path();
        let all = [
            R,
            W,
            NEW,
            NEW.and(Options::EXCLUSIVE),
            NEW.and(Options::TRUNCATE),
            NEW.and(Options::APPEND),
        ];
        let options = all[self.dice.roll(all.len())];
        let opened = self.disk.open_file(client, path.as_bytes(), options);
        let found = self.model.open(client, &path, options);
        assert_eq!(opened.map(drop), found.map(drop), "{path} {options:?}");
        if let (Ok(file), Ok(description)) = (opened, found) {
            self.model.handles.push(Handle {
                client,
                description,
                file,
            });
        }
    }

    fn write(&mut self) {
        let Some(handle) = self.handle() else { return };
        if self.is_directory(handle) {
            return;
        }
        let most = [20, 300, 3000][self.dice.roll(3)];
        let length = self.dice.roll(most);
        let bytes = pattern(self.dice.roll(256), length);
        let written = write(&mut self.disk, handle.client, handle.file, &bytes);
        assert_eq!(written, self.model.write(handle, &bytes));
    }

    fn read(&mut self) {
        let Some(handle) = self.handle() else { return };
        let length = self.dice.roll(2000);
        let found = read(&mut self.disk, handle.client, handle.file, length);
        let description = self
            .model
            .descriptions
            .get_mut(&handle.description)
            .expect("open");
        let content = &self.model.nodes[&description.node].bytes;
        let expected = match content {
            _ if !description.options.has(R) => Err(Refused::BadFile),
            None => Err(Refused::IsDirectory),
            Some(content) => {
                let start = description.position.min(content.len());
                let end = content.len().min(start + length);
                description.position += end - start;
                Ok(content[start..end].to_vec())
            }
        };
        assert_eq!(found, expected);
    }

    fn seek(&mut self) {
        let Some(handle) = self.handle() else { return };
        if self.is_directory(handle) {
            return;
        }
        let whence = [Whence::Start, Whence::Current, Whence::End][self.dice.roll(3)];
        let offset = self.dice.roll(9000) as i64 - 3000;
        let found = self.disk.seek(handle.client, handle.file, offset, whence);
        let description = self
            .model
            .descriptions
            .get_mut(&handle.description)
            .expect("open");
        let content = self.model.nodes[&description.node].bytes.as_ref();
        let from = match whence {
            Whence::Start => 0,
            Whence::Current => description.position,
            Whence::End => content.map_or(0, Vec::len),
        };
        let position = from as i64 + offset;
        if position < 0 {
            return assert_eq!(found, Err(Refused::Invalid));
        }
        assert_eq!(found, Ok(position as u32));
        description.position = position as usize;
    }

    fn truncate(&mut self) {
        let Some(handle) = self.handle() else { return };
        if self.is_directory(handle) {
            return;
        }
        let most = [300, 3000, 9000][self.dice.roll(3)];
        let size = self.dice.roll(most);
        let found = self.disk.truncate(handle.client, handle.file, size as u64);
        assert_eq!(found, self.model.truncate(handle, size));
    }

    fn close(&mut self) {
        let Some(handle) = self.handle() else { return };
        assert_eq!(self.disk.close(handle.client, handle.file), Ok(()));
        self.model.handles.retain(|it| it.file != handle.file);
    }

    fn duplicate(&mut self) {
        let Some(handle) = self.handle() else { return };
        let handles = self.model.handles.iter();
        let has_room = handles.filter(|it| it.client == handle.client).count() < SHARE.files;
        let found = self.disk.duplicate(handle.client, handle.file);
        match found {
            Ok(file) => self.model.handles.push(Handle { file, ..handle }),
            Err(why) => assert_eq!(why, Refused::TooManyOpen),
        }
        assert_eq!(found.is_ok(), has_room);
    }

    fn check(&mut self) {
        for client in 0..CLIENTS {
            let (entries, blocks) = self.disk.used(client);
            assert_eq!(entries as usize, self.model.entries(client));
            assert_eq!(blocks as usize, self.model.blocks(client));
        }
        assert_sound(&mut self.disk);
    }
}

#[test]
fn it_does_what_the_model_does() {
    for seed in 1..=8_u64 {
        let mut game = Game {
            dice: Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15)),
            disk: disk(),
            model: Model::default(),
        };
        for step in 0..STEPS {
            game.step();
            if step % 64 == 0 {
                game.check();
            }
        }
        for client in 0..CLIENTS {
            game.disk.leave(client);
        }
        game.model.handles.clear();
        game.model.sweep();
        game.check();
        assert_eq!(contents(&mut game.disk), game.model.contents(), "{seed}");
        // Everything comes back.
        while let Some(path) = game.model.paths.pop_last() {
            game.disk
                .remove(path.0.as_bytes())
                .expect("what is deeper went first");
        }
        assert_eq!(game.disk.free_blocks(), game.disk.blocks());
        assert!((0..CLIENTS).all(|client| game.disk.used(client) == (0, 0)));
    }
}
