//! The image builder: every process linked on its own into its own regions, one kernel, one
//! image.

pub mod c;
pub mod cargo;
pub mod elf;
mod image;
mod info_table;
mod kept;
pub mod kernel;
mod link;
mod lock;
mod made;
mod planned;
pub mod programs;
mod room;
mod script;
pub mod stack;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use miette::{IntoDiagnostic, WrapErr};
use sha2::{Digest, Sha256};

use crate::board::{Board, ProtectionKind};
use crate::manifest::{Application, LONGEST_NAME, Process, Program, stack_sizes};
use crate::plan::{Layout, Plan, ProgramSizes, allocate};
use crate::progress::{self, Step};
use crate::toolchain::Toolchain;
use elf::{Linked, Piece, Storage};
use kept::Kept;
use link::{Link, NotLinked};
use lock::Lock;
use script::{HOT_END, Places};

/// The raw image's file.
const IMAGE: &str = "image.bin";
/// Folder of the linked processes, beside the kernel.
const PROCESSES: &str = "processes";

/// A built application.
#[derive(Clone, Debug)]
pub struct Image {
    /// The raw image, from the beginning of flash, where it stays as it is; so do the ELF files.
    pub file: PathBuf,
    /// The folder of everything that was built for it, where the next one is built.
    pub folder: PathBuf,
    /// The kernel's ELF file.
    pub kernel: Linked,
    /// The processes' ELF files, in manifest order.
    pub programs: Vec<Linked>,
    /// What the kernel was told.
    pub plan: Plan,
    /// Where everything lies.
    pub layout: Layout,
    /// Bytes of the raw image that mean something; what alignment leaves between them does not.
    pub contents: u32,
    /// Bytes of the process-info table of each process, behind its program in flash.
    pub tables: Vec<u32>,
    /// What stays as it is as long as the image is in use.
    _kept: Option<Arc<Kept>>,
}

impl Image {
    /// The raw image, and the hash that tells it from others.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read(&self) -> miette::Result<(Vec<u8>, String)> {
        let bytes = std::fs::read(&self.file)
            .into_diagnostic()
            .wrap_err_with(|| format!("cannot read {}", self.file.display()))?;
        let hash = hash(&bytes);
        Ok((bytes, hash))
    }

    /// Where a run of this image writes the file `name`, which no other run writes.
    #[must_use]
    pub fn place(&self, name: &str) -> PathBuf {
        self.file.with_file_name(name)
    }

    /// Shows what a run wrote as the file `name`, if it did, in the image's folder.
    ///
    /// # Errors
    /// If it cannot be written there.
    pub fn publish(&self, name: &str) -> miette::Result<()> {
        let file = self.place(name);
        if !file.exists() {
            return Ok(());
        }
        kept::link(&file, &self.folder.join(name))
    }
}

/// Builds `application` for `board`. The image that is there stays until the new one takes its place; when anything is
/// refused, none is left.
///
/// # Errors
/// What is wrong with the manifest or with a program, and where.
pub fn build(
    toolchain: &Toolchain,
    root: &Path,
    application: &Application,
    board: &Board,
) -> miette::Result<Image> {
    let application = &application.on(board).inspect_err(|_| {
        remove_images(root, &application.directory, std::slice::from_ref(board));
    })?;
    let board = &room::board(application, board);
    let builder = Builder::new(toolchain, root, application, board)?;
    builder.build().inspect_err(|_| {
        // Absent is as good as removed.
        let _ = std::fs::remove_file(builder.image());
    })
}

/// The layout with what the kernel has taken of what it was given, where nothing was set aside for it.
fn with_kernel(mut layout: Layout, board: &Board, kernel: &Linked) -> Layout {
    if board.protection.kind == ProtectionKind::Mpu {
        let (text, ram) = (&mut layout.kernel_text, &mut layout.kernel_ram);
        text.size = kernel.load_end(text.base) - text.base;
        let ends = [".stack", ".kernel", ".bss"].map(|name| {
            let (base, size) = kernel.section(name);
            base + size
        });
        let end = ends.into_iter().fold(ram.base, u32::max);
        ram.size = end - ram.base;
    }
    layout
}

/// Removes the images of the application in `directory`: its manifest has been refused.
pub fn remove_images(root: &Path, directory: &Path, boards: &[Board]) {
    for board in boards {
        // Absent is as good as removed.
        let _ = folder_of(root, directory, board)
            .map(|folder| std::fs::remove_file(folder.join(IMAGE)));
    }
}

/// Where the image of the application in `directory` is built for a board.
///
/// # Errors
/// If there is no such directory.
pub fn folder_of(root: &Path, directory: &Path, board: &Board) -> miette::Result<PathBuf> {
    let directory = directory
        .canonicalize()
        .into_diagnostic()
        .wrap_err_with(|| format!("cannot find {}", directory.display()))?;
    let place = directory.strip_prefix(root).unwrap_or(&directory);
    let images = root.join("target/images").join(&board.name);
    Ok(images.join(name_of(place)))
}

/// The name of an image's folder: its application's path with `-` for each `/`. Where a part of the path has a `-` of its
/// own, or only the end of it has room, another path could have that name, so that the path's hash tells them apart.
fn name_of(place: &Path) -> String {
    let parts = place.iter().map(|part| part.to_string_lossy());
    let parts: Vec<_> = parts.map(|part| part.replace('/', "")).collect();
    let name = parts.join("-");
    let is_whole = name.len() <= LONGEST_NAME && place.to_str().is_some();
    if is_whole && !parts.iter().any(|part| part.contains('-')) {
        return name;
    }
    with_hash(&name, &hash(place.as_os_str().as_encoded_bytes())[..8])
}

/// A name of a file or folder: the end of `name`, if there is no room for all of it, and the hash of what it stands for.
fn with_hash(name: &str, hash: &str) -> String {
    let room = LONGEST_NAME - 1 - hash.len();
    let start = name.ceil_char_boundary(name.len().saturating_sub(room));
    format!("{}-{hash}", &name[start..])
}

/// The SHA-256 of these bytes, in hexadecimal digits.
fn hash(bytes: &[u8]) -> String {
    let hash = Sha256::digest(bytes);
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

struct Builder<'a> {
    toolchain: &'a Toolchain,
    root: &'a Path,
    application: &'a Application,
    board: &'a Board,
    folder: PathBuf,
    _lock: Lock,
}

impl<'a> Builder<'a> {
    fn new(
        toolchain: &'a Toolchain,
        root: &'a Path,
        application: &'a Application,
        board: &'a Board,
    ) -> miette::Result<Builder<'a>> {
        let folder = folder_of(root, &application.directory, board)?;
        make(&folder.join(PROCESSES))?;
        let waiting = "waiting for another ./riposte that builds the same image";
        let lock = Lock::of(&folder, waiting)?;
        let builder = Builder {
            toolchain,
            root,
            application,
            board,
            folder,
            _lock: lock,
        };
        builder.remove_stale();
        Ok(builder)
    }

    fn build(&self) -> miette::Result<Image> {
        let Builder {
            toolchain,
            root,
            application,
            board,
            ..
        } = *self;
        // A program that cargo makes has the same name in every image: it is another's once that one builds.
        let building = Lock::of(
            &root.join(programs::TARGET_DIRECTORY),
            "waiting for another image to be built",
        )?;
        let archives = {
            let _step = Step::begin(format!("building the programs of {}", application.name));
            programs::build(toolchain, root, application, board)?
        };
        let (layout, storages) = self.measure(&archives)?;
        let programs = self.link(&archives, &layout, &storages)?;
        drop(building);
        let (plan, tables) = planned::plan(application, board, &layout, &programs);
        self.check_tables(&layout, &tables)?;
        let kernel = {
            let _step = Step::begin(format!("building the kernel of {}", application.name));
            let board = &layout.for_kernel(board);
            let file = kernel::build(toolchain, root, board, &plan, &self.folder)?;
            Linked::read(&file)?
        };
        let layout = with_kernel(layout, board, &kernel);
        self.pack(kernel, programs, tables, plan, layout)
    }

    /// Removes what was built of processes that the manifest does not name any more.
    fn remove_stale(&self) {
        let processes = &self.application.processes;
        let entries = std::fs::read_dir(self.folder.join(PROCESSES));
        for file in entries.into_iter().flatten().flatten() {
            let file = file.path();
            let is_of = |it: &Process| file.file_stem() == Some(it.name.value.as_ref());
            if !processes.iter().any(is_of) {
                // What stays is in nobody's way.
                let _ = std::fs::remove_file(&file);
            }
        }
    }

    fn image(&self) -> PathBuf {
        self.folder.join(IMAGE)
    }

    /// Links every program at dummy addresses, and places what it turns out to need. Returns the thread-local storage
    /// of each, too.
    fn measure(&self, archives: &[Vec<PathBuf>]) -> miette::Result<(Layout, Vec<Storage>)> {
        let (mut sizes, mut storages) = (Vec::new(), Vec::new());
        for (index, archive) in archives.iter().enumerate() {
            let process = &self.application.processes[index];
            let guard = self.board.protection.guard;
            let stacks = stack_sizes(&process.threads, guard).map(|size| size as u32);
            let mut places = Places::to_measure(self.told_by_stack(stacks), threads(process));
            let mut linked = self.link_one(index, archive, "measured", &places)?;
            // How much is between its parts, an alignment of its own decides, and what its threads begin with may have some, too.
            while places.storage != linked.storage {
                places.storage = linked.storage;
                linked = self.link_one(index, archive, "measured", &places)?;
            }
            storages.push(places.storage);
            let code = linked.load_end(places.flash.base) - places.flash.base;
            let table = planned::table_size(self.application, self.board, index);
            let (data, bss) = (linked.section(".data"), linked.section(".bss"));
            let end = (data.0 + data.1).max(bss.0 + bss.1).max(places.data.base);
            let in_flash = linked.slack(&script::IN_FLASH, script::UNIT);
            let in_data = linked.slack(&script::IN_DATA, script::UNIT);
            sizes.push(ProgramSizes {
                flash: code.next_multiple_of(4) + in_flash + table,
                data: end - places.data.base + in_data,
                hot: linked
                    .symbol(HOT_END)
                    .map_or(0, |end| end - places.flash.base),
            });
        }
        let layout = allocate(self.application, self.board, &sizes)?;
        Ok((layout, storages))
    }

    fn link(
        &self,
        archives: &[Vec<PathBuf>],
        layout: &Layout,
        storages: &[Storage],
    ) -> miette::Result<Vec<Linked>> {
        let placed = archives.iter().zip(&layout.processes).zip(storages);
        placed
            .enumerate()
            .map(|(index, ((archive, placement), storage))| {
                let places = Places {
                    flash: placement.text,
                    data: placement.data,
                    stack_top: placement.stacks[0].base + placement.stacks[0].size,
                    stacks: self.told_by_stack(placement.stacks.iter().map(|stack| stack.size)),
                    threads: threads(&self.application.processes[index]),
                    storage: *storage,
                };
                let linked = self.link_one(index, archive, "elf", &places)?;
                assert_eq!(
                    linked.storage, *storage,
                    "threads have as much as was measured"
                );
                Ok(linked)
            })
            .collect()
    }

    /// Refuses a program whose table of names ends beyond its flash, where another one's code is.
    fn check_tables(&self, layout: &Layout, tables: &[Piece]) -> miette::Result<()> {
        let processes = &self.application.processes;
        for ((process, placement), table) in processes.iter().zip(&layout.processes).zip(tables) {
            let end = u64::from(table.address) + table.bytes.len() as u64;
            let beyond = end.saturating_sub(placement.flash.lies().end());
            if beyond > 0 {
                let name = &process.name.value;
                let message = format!("`{name}` takes {beyond} bytes more of flash than measured");
                let place = process.program.span;
                let help = "align its statics to less";
                return Err(self.application.source.refuse(place, message, help).into());
            }
        }
        Ok(())
    }

    /// The stacks, where a program knows its threads by them.
    fn told_by_stack(&self, stacks: impl Iterator<Item = u32>) -> Vec<u32> {
        if self.board.has_thread_register() {
            Vec::new()
        } else {
            stacks.collect()
        }
    }

    fn link_one(
        &self,
        index: usize,
        files: &[PathBuf],
        extension: &str,
        places: &Places,
    ) -> miette::Result<Linked> {
        let process = &self.application.processes[index];
        let output = self
            .folder
            .join(PROCESSES)
            .join(&process.name.value)
            .with_extension(extension);
        let linked = Link {
            files,
            is_c: matches!(process.program.value, Program::C(_)),
            is_spawned: process.instance_of.is_some(),
            threads: &process.threads,
            output,
        }
        .run(self.toolchain, places)?
        .map_err(
            |NotLinked {
                 said,
                 message,
                 help,
             }| {
                if !said.is_empty() {
                    progress::complain(&said);
                }
                let message = format!("the program of process `{}` {message}", process.name.value);
                self.application
                    .source
                    .refuse(process.program.span, message, help)
            },
        )?;
        self.check_instructions(process, &linked)?;
        Ok(linked)
    }

    /// Refuses a program with instructions that the board's core does not have. Rust's own are
    /// right by their target; an object of another language may not be.
    fn check_instructions(&self, process: &Process, linked: &Linked) -> miette::Result<()> {
        let simulator = self.board.simulator().zip(linked.instructions.as_ref());
        let Some(letter) = simulator.and_then(|(it, instructions)| it.core.lacks(instructions))
        else {
            return Ok(());
        };
        let message = format!(
            "the program of process `{}` has instructions of the extension `{letter}`, which {} \
             does not have",
            process.name.value, self.board.name
        );
        let help = format!(
            "build all that is linked into it for {}",
            self.board.program_target
        );
        let place = process.program.span;
        let refusal = self.application.source.refuse(place, message, help);
        Err(refusal.into())
    }

    fn pack(
        &self,
        kernel: Linked,
        programs: Vec<Linked>,
        tables: Vec<Piece>,
        plan: Plan,
        layout: Layout,
    ) -> miette::Result<Image> {
        let lying = programs.iter().zip(&layout.processes);
        let lying = lying.flat_map(|(program, placement)| {
            program.pieces.iter().map(|piece| Piece {
                address: placement.flash.machine_address(piece.address),
                bytes: piece.bytes.clone(),
            })
        });
        let table = |it: &Piece| it.bytes.len() as u32;
        let sizes = tables.iter().map(table).collect();
        let pieces: Vec<Piece> = lying.chain(kernel.pieces.clone()).chain(tables).collect();
        let contents = pieces.iter().map(|piece| piece.bytes.len() as u32).sum();
        let file = self.image();
        // Whoever reads the old one meanwhile finds it whole.
        let new = file.with_extension("new");
        link::write(&new, &image::pack(self.board.flash, &pieces)?)?;
        std::fs::rename(&new, &file)
            .into_diagnostic()
            .wrap_err_with(|| format!("cannot write {}", file.display()))?;
        let kept = Kept::new(self.root)?;
        let keep = |mut linked: Linked| {
            let place = linked.file.strip_prefix(&self.folder);
            let place = place.expect("all is built in the folder");
            linked.file = kept.keep(&linked.file, place)?;
            Ok(linked)
        };
        Ok(Image {
            file: kept.keep(&file, Path::new(IMAGE))?,
            folder: self.folder.clone(),
            kernel: keep(kernel)?,
            programs: programs
                .into_iter()
                .map(keep)
                .collect::<miette::Result<_>>()?,
            plan,
            layout,
            contents,
            tables: sizes,
            _kept: Some(Arc::new(kept)),
        })
    }
}

/// How many threads a process has.
fn threads(process: &Process) -> u32 {
    process.threads.len() as u32
}

fn make(folder: &Path) -> miette::Result<()> {
    std::fs::create_dir_all(folder)
        .into_diagnostic()
        .wrap_err_with(|| format!("cannot write to {}", folder.display()))
}

#[cfg(test)]
impl Image {
    /// An image that was never built, of a plan that was never linked.
    pub(crate) fn pretended(plan: Plan, layout: Layout) -> Image {
        let programs = vec![Linked::default(); plan.processes.len()];
        Image {
            file: PathBuf::new(),
            folder: PathBuf::new(),
            kernel: Linked::default(),
            programs,
            plan,
            layout,
            contents: 0,
            tables: vec![],
            _kept: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_applications_have_one_folder_of_images() {
        let lab = crate::lab::Lab::open().unwrap();
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let folder = |place: &str| {
            let directory = root.join(place);
            std::fs::create_dir_all(&directory).unwrap();
            folder_of(&root, &directory, &lab.boards[0]).unwrap()
        };
        let images = root.join("target/images").join(&lab.boards[0].name);
        assert_eq!(folder("q/a/b/c"), images.join("q-a-b-c"));
        let places = ["q/a-b/c", "q/a/b-c", "q/a/b/c", "q-a/b-c", "q-a-b-c"];
        let mut folders = places.map(folder).to_vec();
        folders.sort();
        folders.dedup();
        assert_eq!(folders.len(), places.len(), "{folders:?}");
        assert!(folder_of(&root, Path::new("nowhere"), &lab.boards[0]).is_err());
    }

    #[test]
    fn however_long_the_way_to_an_application_is_its_images_have_a_folder() {
        let mut names = vec![];
        for part in ["ab", "é", "a-b"] {
            for depth in 1..400 {
                let place = format!("{}/hello", vec![part; depth].join("/"));
                let name = name_of(Path::new(&place));
                assert!(name.len() <= LONGEST_NAME, "{place}: {name}");
                assert!(name.contains("hello"), "{place}: {name}");
                names.push(name);
            }
        }
        let all = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
