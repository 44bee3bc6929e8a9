//! The card of a board, an image in a file, for applications that use the board's device `card`.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use miette::{IntoDiagnostic, WrapErr, miette};

use crate::board::{Board, CARD, CardSlot, Run};
use crate::build::Image;
use crate::manifest::Application;

/// A card that nobody asked for, beside the image.
const ANEW: &str = "card.img";

/// A card that a board is given.
pub struct Card {
    slot: CardSlot,
    file: PathBuf,
}

impl Card {
    /// The card of an application on a board, if it uses one: the one that was asked for, which is made, full of zeros, if
    /// it is not there; or else one that is made anew for each run.
    ///
    /// # Errors
    /// If a card is asked for that nobody would use, or a file cannot be made.
    pub fn of(
        application: &Application,
        board: &Board,
        image: &Image,
        asked: Option<&Path>,
    ) -> miette::Result<Option<Card>> {
        let application = application.on(board)?;
        let slot = match &board.run {
            Run::Emulator(emulator) if application.uses(CARD) => emulator.card.clone(),
            _ => None,
        };
        let Some(slot) = slot else {
            return match asked {
                Some(_) => Err(miette!(
                    help = "a card in memory is a region, and no file; `./riposte boards` names the others",
                    "`{}` uses no card on {} that could be a file",
                    application.name,
                    board.name
                )),
                None => Ok(None),
            };
        };
        let file = match asked {
            Some(file) => file.to_path_buf(),
            None => image.place(ANEW),
        };
        if asked.is_none() || !file.exists() {
            make(&file, slot.bytes)
                .into_diagnostic()
                .wrap_err_with(|| format!("cannot make the card {}", file.display()))?;
        }
        Ok(Some(Card { slot, file }))
    }

    /// What the emulator is told.
    pub fn arguments(&self) -> impl Iterator<Item = String> {
        // What is before a colon would be a protocol, and a comma would end the name of the file.
        let file = Path::new(".").join(&self.file);
        let file = file.to_string_lossy().replace(',', ",,");
        let arguments = self.slot.arguments.iter();
        arguments.map(move |it| it.replace("{card}", &file))
    }

    /// What the host's own check says of the volume that it has, if that is FAT. Space that is nobody's, and a second table
    /// that is behind the first, are no faults: they are what is left of a server that was ended while it wrote.
    pub(crate) fn check(&self) -> Option<Result<(), String>> {
        let mut block = [0; 512];
        let mut image = File::open(&self.file).ok()?;
        image.read_exact(&mut block).ok()?;
        if !matches!(block[0], 0xEB | 0xE9) {
            return None;
        }
        let checked = Command::new("fsck.fat").arg("-n").arg(&self.file).output();
        Some(match checked {
            Ok(output) => match complaints(&String::from_utf8_lossy(&output.stdout)) {
                wrong if wrong.is_empty() => Ok(()),
                wrong => Err(wrong.join("; ")),
            },
            Err(why) => Err(format!("fsck.fat: {why}: `./riposte test` installs it")),
        })
    }
}

/// What `fsck.fat` says but for its name, what it has counted, space that is nobody's, and a second table that is behind.
fn complaints(said: &str) -> Vec<&str> {
    let harmless = |line: &&str| {
        line.is_empty()
            || line.starts_with("fsck.fat ")
            || line.starts_with("Leaving filesystem unchanged")
            || line.ends_with(" clusters") && line.contains(" files, ")
            || line.starts_with("Reclaimed ") && line.contains(" unused cluster")
            || matches!(
                line.trim(),
                "FATs differ but appear to be intact." | "Using first FAT."
            )
    };
    said.lines().filter(|line| !harmless(line)).collect()
}

fn make(file: &Path, bytes: u64) -> std::io::Result<()> {
    File::create(file)?.set_len(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An image with a FAT volume, as the host makes it.
    fn card(folder: &Path) -> Card {
        let file = folder.join(ANEW);
        make(&file, 1 << 20).expect("there is a disk");
        let made = Command::new("mkfs.fat").arg(&file).output();
        assert!(made.expect("dosfstools").status.success());
        let slot = CardSlot {
            arguments: vec![],
            bytes: 0,
        };
        Card { slot, file }
    }

    #[test]
    fn a_card_with_a_file_of_no_clusters_is_a_fault_and_one_without_a_volume_is_none() {
        let folder = tempfile::tempdir().expect("there is a disk");
        let card = card(folder.path());
        assert_eq!(card.check(), Some(Ok(())));
        let mut bytes = std::fs::read(&card.file).expect("it is there");
        // A file of 5,000 bytes in the root, behind both tables, whose first cluster is nobody's.
        let word = |at: usize| usize::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]));
        let root = (word(14) + usize::from(bytes[16]) * word(22)) * 512;
        let mut entry = [0; 32];
        entry[..12].copy_from_slice(b"A           ");
        (entry[26], entry[28], entry[29]) = (5, 0x88, 0x13);
        bytes[root..root + entry.len()].copy_from_slice(&entry);
        std::fs::write(&card.file, &bytes).expect("there is a disk");
        assert!(matches!(card.check(), Some(Err(_))));
        std::fs::write(&card.file, [0; 1024]).expect("there is a disk");
        assert_eq!(card.check(), None);
    }

    #[test]
    fn an_emulator_takes_a_card_for_a_file_whatever_that_is_called() {
        for (name, told) in [("a:b,c.img", "file=./a:b,,c.img"), ("/a:b", "file=/a:b")] {
            let slot = CardSlot {
                arguments: vec!["file={card}".into()],
                bytes: 0,
            };
            let file = name.into();
            let arguments: Vec<String> = Card { slot, file }.arguments().collect();
            assert_eq!(arguments, [told]);
        }
    }

    #[test]
    fn what_fsck_complains_of_is_told_and_what_it_counts_is_not() {
        let whole = "fsck.fat 4.2 (2021-01-31)\ncard.img: 1 files, 2/221 clusters\n";
        assert!(complaints(whole).is_empty());
        let lost = "fsck.fat 4.2 (2021-01-31)\nReclaimed 4 unused clusters (2048 bytes).\n\n\
            Leaving filesystem unchanged.\ncard.img: 1 files, 0/221 clusters\n";
        assert!(complaints(lost).is_empty());
        let behind = "fsck.fat 4.2 (2021-01-31)\nFATs differ but appear to be intact.\n  Using first FAT.\n\
            Leaving filesystem unchanged.\ncard.img: 1 files, 0/221 clusters\n";
        assert!(complaints(behind).is_empty());
        let torn = "fsck.fat 4.2 (2021-01-31)\n/A\n  Cluster chain is broken\ncard.img: 1 files, 2/221 clusters\n";
        assert_eq!(complaints(torn), ["/A", "  Cluster chain is broken"]);
    }
}
