//! `./riposte map`: flash and RAM by process, crate and symbol; what alignment costs, and what would save it.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::board::Board;
use crate::build::{Image, elf::Linked};
use crate::cli;
use crate::json;
use crate::lab::Lab;
use crate::manifest::Process;
use crate::plan::{Plan, Region, Wanted};
use crate::size;
use crate::symbols::{self, Symbols};
use crate::table::{Align, Table};

/// Sections that stay in flash.
const FLASH: [&str; 4] = [".text", ".rodata", ".vector_table", ".vectors"];
/// Sections of RAM.
const RAM: [&str; 7] = [
    ".data",
    ".tdata",
    ".kernel",
    ".bss",
    ".uninit",
    ".stack",
    ".idle_stack",
];
/// As many symbols are printed if not all are asked for.
const SHOWN: usize = 20;
/// The crate of what is written in C or assembly.
const OTHER: &str = "(C and assembly)";
/// The crate of what has no name.
const NAMELESS: &str = "(no symbol)";
/// The crate of what the image builder puts there.
const BUILDER: &str = "(image builder)";

/// An application's memory.
#[derive(Debug, Serialize)]
pub struct Map {
    application: String,
    board: String,
    /// Kernel, processes, shared regions and pools.
    owners: Vec<Owner>,
    /// The whole, with what is lost between them.
    total: Total,
}

#[derive(Debug, Serialize)]
struct Total {
    flash: Share,
    ram: Share,
}

/// Whose a part of the memory is.
#[derive(Debug, Serialize)]
struct Owner {
    name: String,
    kind: Kind,
    flash: Share,
    ram: Share,
    symbols: Vec<Symbol>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Kernel,
    Process,
    Region,
    Pool,
}

/// Bytes of one memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
struct Share {
    /// In use.
    used: u32,
    /// Taken, with what is lost to the rules of the protection unit or set aside.
    taken: u32,
    /// What would make it smaller.
    #[serde(skip_serializing_if = "Option::is_none")]
    saving: Option<Saving>,
}

/// If it used `less` bytes less, it would take `saved` bytes less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
struct Saving {
    less: u32,
    saved: u32,
}

/// A function, a static, or what has no name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Symbol {
    name: String,
    #[serde(rename = "crate")]
    krate: String,
    flash: u32,
    ram: u32,
}

/// Prints where the memory of an application goes.
///
/// # Errors
/// If it does not build.
pub fn map(lab: &Lab, asked: &cli::Map) -> miette::Result<()> {
    let application = lab.application(&asked.application.app)?;
    let board = lab.board_for(&application, asked.application.board.as_deref())?;
    let image = lab.build(&application, board)?;
    let map = Map::of(lab, &image, board, &application.on(board)?.processes)?;
    if asked.json {
        return json::print(&map);
    }
    print!("{}", map.text(asked.all));
    Ok(())
}

impl Map {
    fn of(lab: &Lab, image: &Image, board: &Board, processes: &[Process]) -> miette::Result<Map> {
        let (flash, ram) = size::of_kernel(image);
        let mut kernel = Owner::new(lab, "kernel", Kind::Kernel, &image.kernel, (flash, ram))?;
        // Where nothing is set aside for it, it takes what it uses.
        kernel.ram.taken = ram.max(kernel.ram.used);
        let mut owners = vec![kernel];
        for (index, process) in image.plan.processes.iter().enumerate() {
            let taken = (process.flash.seen.size, process.ram.seen.size);
            let mut owner = Owner::new(
                lab,
                &process.name,
                Kind::Process,
                &image.programs[index],
                taken,
            )?;
            owner.add("(process-info table)", image.tables[index], 0);
            for thread in &process.threads {
                owner.add(
                    &format!("(stack of `{}`)", thread.name),
                    0,
                    thread.stack.size,
                );
            }
            owner.add("(pages to lend)", 0, process.lending.pages.size);
            let said = processes[index].ram.is_some();
            let whole = process.lending.pages.size > 0 || said;
            owner.flash.saving = saving(board, owner.flash, false).filter(|it| it.less > 0);
            // Only what the manifest says can be more than is needed.
            owner.ram.saving = saving(board, owner.ram, whole).filter(|it| it.less > 0 || said);
            owners.push(owner);
        }
        let Plan { regions, pools, .. } = &image.plan;
        let regions = regions.iter().map(|it| {
            let Region { size, .. } = it.memory.seen;
            (&it.name, Kind::Region, size, "(shared region)")
        });
        let pools = pools
            .iter()
            .map(|it| (&it.name, Kind::Pool, it.memory.size, "(pool)"));
        for (name, kind, size, what) in regions.chain(pools) {
            let mut owner = Owner {
                name: name.clone(),
                kind,
                flash: Share::default(),
                ram: Share {
                    taken: size,
                    ..Share::default()
                },
                symbols: vec![],
            };
            owner.add(what, 0, size);
            owners.push(owner);
        }
        Ok(Map {
            application: image.plan.application.clone(),
            board: image.plan.board.clone(),
            owners,
            total: Total {
                flash: share(image.contents, size::flash(image)),
                ram: {
                    let size::Taken { used, taken } = size::ram(image, board);
                    share(used, taken)
                },
            },
        })
    }

    fn text(&self, all: bool) -> String {
        let mut text = format!("{} on {}, bytes\n\n", self.application, self.board);
        let mut table = Table::new(&[
            ("", Align::Left),
            ("flash\nused", Align::Right),
            ("\ntaken", Align::Right),
            ("\nlost", Align::Right),
            ("RAM\nused", Align::Right),
            ("\ntaken", Align::Right),
            ("\nlost", Align::Right),
        ]);
        let owners = self.owners.iter().map(|it| (&*it.name, it.flash, it.ram));
        for (name, flash, ram) in owners.chain([("all", self.total.flash, self.total.ram)]) {
            let cells = [flash, ram].map(|it| [it.used, it.taken, it.lost()]);
            let cells = cells.as_flattened().iter().map(u32::to_string);
            table.row(std::iter::once(name.to_owned()).chain(cells).collect());
        }
        text += &table.to_string();
        text += &self.savings();
        text += "\nby crate\n\n";
        let mut crates: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
        for symbol in self.owners.iter().flat_map(|it| &it.symbols) {
            let (flash, ram) = crates.entry(&symbol.krate).or_default();
            *flash += symbol.flash;
            *ram += symbol.ram;
        }
        let mut crates: Vec<_> = crates.into_iter().collect();
        crates.sort_by_key(|(_, (flash, ram))| std::cmp::Reverse(flash + ram));
        let mut table = Table::new(&[
            ("crate", Align::Left),
            ("flash", Align::Right),
            ("RAM", Align::Right),
        ]);
        for (name, (flash, ram)) in crates {
            table.row(vec![name.into(), flash.to_string(), ram.to_string()]);
        }
        text + &table.to_string() + &self.largest(all)
    }

    /// What would make regions smaller, the largest saving first.
    fn savings(&self) -> String {
        let mut all: Vec<(Saving, String)> = Vec::new();
        for owner in &self.owners {
            for (memory, share) in [("flash", owner.flash), ("RAM", owner.ram)] {
                let line = |it: Saving| match it.less {
                    0 => format!(
                        "  `ram` of `{}` in the manifest may be {} bytes less\n",
                        owner.name, it.saved
                    ),
                    less => format!(
                        "  {less} bytes less of {memory} in `{}` would save {}\n",
                        owner.name, it.saved
                    ),
                };
                all.extend(share.saving.map(|it| (it, line(it))));
            }
        }
        all.retain(|(saving, _)| saving.saved > saving.less);
        all.sort_by_key(|(saving, _)| std::cmp::Reverse(saving.saved - saving.less));
        let lines: String = all.into_iter().map(|(_, line)| line).collect();
        match lines.is_empty() {
            true => String::new(),
            false => format!("\nwhat would save more than itself\n{lines}"),
        }
    }

    fn largest(&self, all: bool) -> String {
        let mut symbols: Vec<(&Owner, &Symbol)> = self
            .owners
            .iter()
            .flat_map(|owner| owner.symbols.iter().map(move |it| (owner, it)))
            .collect();
        symbols.sort_by_key(|(_, it)| std::cmp::Reverse(it.flash + it.ram));
        let shown = if all { symbols.len() } else { SHOWN };
        let mut table = Table::new(&[
            ("", Align::Left),
            ("symbol", Align::Left),
            ("flash", Align::Right),
            ("RAM", Align::Right),
        ]);
        for (owner, it) in symbols.iter().take(shown) {
            let [flash, ram] = [it.flash, it.ram].map(|it| it.to_string());
            table.row(vec![owner.name.clone(), it.name.clone(), flash, ram]);
        }
        let hidden = symbols.len().saturating_sub(shown);
        let rest = match hidden {
            0 => String::new(),
            _ => format!("and {hidden} that are smaller: --all prints them\n"),
        };
        format!("\nby symbol\n\n{table}{rest}")
    }
}

impl Owner {
    /// What a linked file has, in memory of which so many bytes of flash and of RAM are taken.
    fn new(
        lab: &Lab,
        name: &str,
        kind: Kind,
        linked: &Linked,
        (flash, ram): (u32, u32),
    ) -> miette::Result<Owner> {
        let mut owner = Owner {
            name: name.into(),
            kind,
            flash: share(0, flash),
            ram: share(0, ram),
            symbols: vec![],
        };
        let source = Symbols::read(&linked.file, &lab.root)?;
        let sections: Vec<&str> = FLASH.into_iter().chain(RAM).collect();
        for it in symbols::owners(&linked.file, &sections)? {
            let in_flash = FLASH.contains(&&*it.section);
            let krate = match (&it.symbol, it.krate) {
                (None, _) => NAMELESS.into(),
                (Some(_), Some(krate)) => krate,
                (Some(_), None) => {
                    written_in(lab, &source, it.address).unwrap_or_else(|| OTHER.into())
                }
            };
            let name = it
                .symbol
                .unwrap_or_else(|| format!("(rest of {})", it.section));
            owner.push(Symbol {
                name,
                krate,
                flash: if in_flash { it.bytes } else { 0 },
                ram: if in_flash { 0 } else { it.bytes },
            });
        }
        // What is loaded beyond that is the first values of data.
        let loaded: usize = linked.pieces.iter().map(|it| it.bytes.len()).sum();
        let values = (loaded as u32).saturating_sub(owner.flash.used);
        owner.add("(first values of data)", values, 0);
        Ok(owner)
    }

    /// What the image builder adds, if it is anything.
    fn add(&mut self, name: &str, flash: u32, ram: u32) {
        if flash + ram > 0 {
            self.push(Symbol {
                name: name.into(),
                krate: BUILDER.into(),
                flash,
                ram,
            });
        }
    }

    fn push(&mut self, symbol: Symbol) {
        self.flash.used += symbol.flash;
        self.ram.used += symbol.ram;
        self.symbols.push(symbol);
    }
}

impl Share {
    fn lost(self) -> u32 {
        self.taken.saturating_sub(self.used)
    }
}

fn share(used: u32, taken: u32) -> Share {
    Share {
        used,
        taken,
        saving: None,
    }
}

/// The crate in whose folder stands the source of the function at `address`, which its name does not say.
fn written_in(lab: &Lab, source: &Symbols, address: u32) -> Option<String> {
    let (file, _) = source.places(address).pop()?.line?;
    if file.extension().is_none_or(|it| it != "rs") {
        return None;
    }
    let file = lab.root.join(file);
    let mut manifests = file.ancestors().map(|it| it.join("Cargo.toml"));
    let text = manifests.find_map(|it| std::fs::read_to_string(it).ok())?;
    let manifest: toml::Table = text.parse().ok()?;
    let name = manifest.get("package")?.get("name")?.as_str()?;
    // As it is in paths.
    Some(name.replace('-', "_"))
}

/// What would save the most of what a region of the board's protection unit takes: the next smaller one.
fn saving(board: &Board, share: Share, whole: bool) -> Option<Saving> {
    let size = |bytes: u32| {
        let bytes = u64::from(bytes);
        Wanted { bytes, whole }.size(board) as u32
    };
    // The most bytes that a smaller region holds: sizes never fall as bytes rise.
    let (mut most, mut beyond) = (0, share.taken);
    while most + 1 < beyond {
        let middle = most + (beyond - most) / 2;
        match size(middle) < share.taken {
            true => most = middle,
            false => beyond = middle,
        }
    }
    let saved = share.taken.checked_sub(size(most)).filter(|it| *it > 0)?;
    Some(Saving {
        less: share.used.saturating_sub(most),
        saved,
    })
}
