//! Reports on faults of programs, as somebody sees them.

mod tool;

use riposte_host::cli::Language;
use riposte_host::fault::Scene;
use riposte_host::lab::Lab;
use riposte_host::machine::{self, Next, Said};
use riposte_host::new;
use tool::remove_images;

/// The first report on a new application in C, whose program has this for its `main.c`.
fn report(source: &str, board: &str) -> String {
    let lab = Lab::open().expect("the repository");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("fresh");
    new::create(
        &new::Wanted {
            path: &path,
            language: Language::C,
            processes: &[],
        },
        &lab.root,
        &lab.boards,
    )
    .expect("created");
    std::fs::write(path.join("fresh/main.c"), source).expect("written");
    let application = lab.load(&path).expect("right");
    let board = lab.board(board).expect("there");
    let image = lab.build(&application, board).expect("it builds and links");
    let scene = Scene::new(&lab.root, board, &image);
    let mut report = String::new();
    machine::run_unattended(&lab.root, board, &image.file, |heard| {
        match heard {
            Said::Line(line) if line.starts_with("@fault ") => report = scene.explained(line),
            _ => return Next::Continue,
        }
        Next::Stop
    })
    .expect("it runs");
    remove_images(&lab, &path);
    report
}

/// A function that wants four times the stack that there is.
const GREEDY: &str = r#"
#include <riposte.h>

__attribute__((noinline)) static uint32_t sum(volatile uint32_t *many, uint32_t position)
{
    many[0] = position;
    return many[position] + many[0];
}

__attribute__((noinline)) static uint32_t greedy(uint32_t position)
{
    volatile uint32_t many[2048];
    return sum(many, position) + 1;
}

__attribute__((noinline)) static uint32_t middle(uint32_t position)
{
    return greedy(position) + 1;
}

int main(void)
{
    return (int)middle(7) + 1;
}
"#;

#[test]
fn a_frame_that_is_too_much_for_its_stack_is_told_with_who_wanted_it() {
    for board in ["mps2-an386", "virt-rv32"] {
        let report = report(GREEDY, board);
        for said in [
            "overflowed its stack",
            "  in        ",
            "raise `stack` of thread `main`",
            "  stack     main ",
            " middle at ",
            " main at ",
        ] {
            assert!(report.contains(said), "{board}: no {said} in:\n{report}");
        }
    }
}
