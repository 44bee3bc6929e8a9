//! A wrong manifest is refused with the place and the next step; a right one is resolved.

use std::path::Path;

use miette::{Diagnostic, Severity};
use proptest::prelude::*;
use riposte_host::board::{self, Board};
use riposte_host::manifest::{self, Application, Program};
use riposte_host::plan::{Goal, OnExit, OnFault, Region, Restart};
use riposte_host::source::{Refusal, Refusals, Source};

/// Everything that a manifest can say, once.
const GOOD: &str = r#"[application]
name = "demo"
description = "two processes"
boards = ["mps2-an386", "mps2-an385"]

[kernel]
priorities = 32
handles = 8
depth = 4
slice = "2ms"

[supervisor]
channel = "faults"

[[process]]
name = "client"
program = "demo-client"
priority = 10
policy = "round-robin"
stack = "1KiB"
ram = "8KiB"
on_fault = "restart"
on_exit = "restart"
restart_limit = 3
restart_with = ["server"]
grants = ["shutdown"]
settings = { loops = 1000, bias = -1 }

[[process.thread]]
name = "side-work"
priority = 9
stack = 512

[[process]]
name = "server"
program = "demo-server"
priority = 20
stack = "2KiB"
peripherals = ["uart0", "timer1"]
grants = ["supervisor"]

[[channel]]
name = "echo"
owner = "server"
priority = 5
order = "arrival"
notify = ["client-died", "unblock"]

[[channel]]
name = "faults"
owner = "server"

[[connection]]
from = "client"
to = "echo"
name = "repeat"
badge = 7
rights = ["send", "transfer"]

[[connection]]
from = "server"
to = "faults"
"#;

fn boards() -> Vec<Board> {
    board::load_all(Path::new("../boards")).expect("the boards load")
}

fn resolve(text: &str) -> miette::Result<Application> {
    let source = Source {
        path: "app.toml".into(),
        text: text.into(),
    };
    manifest::resolve(source, ".".into(), &boards())
}

/// [`GOOD`] with `from`, which it must hold, replaced.
fn with(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from), "the good manifest has no {from}");
    GOOD.replacen(from, to, 1)
}

fn to_channel(channel: usize, badge: u32) -> Goal {
    Goal::Channel { channel, badge }
}

fn refusals(text: &str) -> Vec<Refusal> {
    let report = resolve(text).expect_err("this manifest is wrong");
    Refusals::all(&report).into_iter().cloned().collect()
}

/// `text` has the one mistake `message` at `underlined`, and `help` is part of the next step.
#[track_caller]
fn refused(text: &str, message: &str, underlined: &str, help: &str) -> Refusal {
    let refusals = refusals(text);
    assert_eq!(refusals.len(), 1, "{refusals:#?}");
    let refusal = refusals.into_iter().next().expect("one");
    assert_eq!(refusal.to_string(), message);
    assert_eq!(refusal.underlined(), underlined);
    assert!(
        refusal.next_step().contains(help),
        "help: {}",
        refusal.next_step()
    );
    refusal
}

#[test]
fn a_right_manifest_is_resolved_to_indices_and_defaults() {
    let app = resolve(GOOD).expect("right");
    assert_eq!(
        (app.name.as_str(), app.kernel.levels, app.kernel.handles),
        ("demo", 32, 8)
    );
    assert_eq!((app.kernel.depth, app.kernel.slice_ns), (4, 2_000_000));
    assert_eq!(app.supervisor, Some(1));

    let client = &app.processes[0];
    assert_eq!(client.program.value, Program::Package("demo-client".into()));
    assert_eq!(client.restart.with, [1]);
    assert_eq!(
        (client.on_fault, client.on_exit),
        (OnFault::Restart, OnExit::Restart)
    );
    assert_eq!(client.restart.limit, Some(3));
    assert_eq!(client.settings[0].name, "loops");
    assert_eq!(client.settings[1].value, u32::MAX);
    let names: Vec<&str> = client
        .threads
        .iter()
        .map(|thread| thread.name.as_str())
        .collect();
    assert_eq!(names, ["main", "side-work"]);
    let symbol = client.threads[1].symbol();
    assert_eq!(symbol.as_deref(), Some("riposte_thread_side_work"));
    let connection = &client.connections[0];
    assert_eq!(
        (connection.name.as_str(), connection.goal),
        ("repeat", to_channel(0, 7))
    );
    assert!(connection.transfer);

    let server = &app.processes[1];
    assert_eq!(server.channels, [0, 1]);
    assert_eq!(server.channel_slot(1), 2);
    assert_eq!(
        (server.connections[0].goal, server.connections[0].transfer),
        (to_channel(1, 1), false)
    );
    assert_eq!(
        (server.on_fault, server.on_exit),
        (OnFault::Stop, OnExit::Stop)
    );
    assert_eq!(app.channels[0].fixed_priority, Some(5));
    assert_eq!(app.channels[1].fixed_priority, None);
}

#[test]
fn every_manifest_of_the_repository_is_right_and_gives_no_warning() {
    let mut found = 0;
    for room in ["../examples", "../bench"] {
        let entries = std::fs::read_dir(room)
            .expect(room)
            .map(|entry| entry.expect(room).path());
        for file in entries
            .map(|path| path.join("app.toml"))
            .filter(|file| file.is_file())
        {
            let app = manifest::load(&file, &boards());
            let app = app.unwrap_or_else(|report| panic!("{report:?}"));
            assert!(app.warnings.is_empty(), "{:?}", app.warnings);
            found += 1;
        }
    }
    assert!(found > 0);
}

#[test]
fn a_refusal_names_file_line_and_column() {
    let refusal = &refusals(&with("owner = \"server\"", "owner = \"sever\""))[0];
    let line = GOOD
        .lines()
        .position(|line| line.starts_with("owner"))
        .expect("there")
        + 1;
    assert_eq!(refusal.position(), (line, 9));
    let graphical = format!("{:?}", miette::Report::new(refusal.clone()));
    assert!(
        graphical.contains(&format!("app.toml:{line}:9")),
        "{graphical}"
    );
    assert!(graphical.contains("did you mean `server`?"), "{graphical}");
}

#[test]
fn all_mistakes_are_told_at_once() {
    let text = with("priority = 10", "priority = 99").replace("to = \"echo\"", "to = \"ecco\"");
    let found: Vec<String> = refusals(&text).iter().map(ToString::to_string).collect();
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(
        found[0].contains("priority 99") && found[1].contains("`ecco`"),
        "{found:?}"
    );
}

#[test]
fn an_unknown_key_is_refused_with_the_key_that_was_meant() {
    refused(
        &with("stack = \"2KiB\"", "stak = \"2KiB\""),
        "unknown key `stak`",
        "stak",
        "did you mean `stack`?",
    );
}

#[test]
fn an_unknown_table_is_refused() {
    refused(
        &with("[supervisor]", "[supervisr]"),
        "unknown key `supervisr`",
        "supervisr",
        "did you mean `supervisor`?",
    );
}

#[test]
fn an_unknown_choice_is_refused_with_the_choices() {
    refused(
        &with("policy = \"round-robin\"", "policy = \"roundrobin\""),
        "`roundrobin` is not possible here",
        "\"roundrobin\"",
        "did you mean `round-robin`? The choices are: fifo, round-robin",
    );
}

#[test]
fn a_missing_key_is_refused() {
    let refusal = &refusals(&with("stack = \"2KiB\"\n", ""))[0];
    assert_eq!(refusal.to_string(), "the key `stack` is missing");
    assert!(
        refusal.next_step().contains("stack = "),
        "{}",
        refusal.next_step()
    );
    assert!(
        refusal.underlined().contains("process"),
        "{}",
        refusal.underlined()
    );
}

#[test]
fn what_is_not_toml_is_refused() {
    let refusal = &refusals(&with("priority = 20", "priority = = 20"))[0];
    assert!(!refusal.to_string().is_empty());
    assert_eq!(
        refusal.position().0,
        GOOD.lines().position(|l| l == "priority = 20").unwrap() + 1
    );
}

#[test]
fn a_word_where_a_number_is_wanted_is_refused_at_its_place_with_the_numbers_that_may_stand_there() {
    for word in ["ten", "five", "nine", "inherit", "yes", "1O", "\"ten\""] {
        let refusal = &refusals(&with("priority = 20", &format!("priority = {word}")))[0];
        let said = refusal.to_string();
        assert!(said.contains(word), "{said}");
        assert!(
            !said.contains("boolean") && !said.contains("float"),
            "{said}"
        );
        assert_eq!(refusal.underlined(), word);
        assert!(refusal.next_step().contains("1 to 31"), "{word}");
    }
    let refusal = &refusals("[application]\nname = lamp\n")[0];
    assert_eq!(refusal.to_string(), "`lamp` is neither a number nor text");
    assert!(refusal.next_step().contains("as \"lamp\""));
}

#[test]
fn a_key_without_a_value_is_refused_at_its_place() {
    for written in ["priority =", "priority = # what?", "  priority =   "] {
        let refusal = &refusals(&with("priority = 20", written))[0];
        assert_eq!(refusal.to_string(), "the key `priority` has no value");
        assert_eq!(refusal.underlined(), "priority");
        assert!(refusal.next_step().contains("behind the `=`"));
    }
    let last = &refusals("[application]\nname =")[0];
    assert_eq!(last.to_string(), "the key `name` has no value");
    let other = &refusals(&with("priority = 20", "priority = \"high"))[0];
    assert_ne!(other.underlined(), "priority");
}

#[test]
fn a_key_twice_is_refused() {
    let refusal = &refusals(&with("priority = 20", "priority = 20\npriority = 21"))[0];
    let second = "the key `priority` stands here a second time";
    assert_eq!(refusal.to_string(), second);
    assert_eq!(refusal.underlined(), "priority");
}

#[test]
fn a_key_twice_is_refused_with_the_line_of_the_first() {
    for (text, first, second) in [
        (
            "[application]\nname = \"x\"\nboards = []\n\n boards = []",
            3,
            5,
        ),
        // Not those of other tables, before it and within.
        (
            "[[process]]\nram = 1\n[[process]]\nram = 2\nsettings = { ram = 3 }\nram = 4",
            4,
            6,
        ),
        (
            "[kernel]\ndepth = 1\n[application]\nkernel = 1\n[kernel]\n",
            1,
            5,
        ),
        ("[[process]]\nsettings = { a = 1, b = 2,\na = 3 }", 2, 3),
    ] {
        let refusal = &refusals(text)[0];
        assert_eq!(refusal.position().0, second, "{refusal:?}");
        assert!(
            refusal.to_string().ends_with("stands here a second time"),
            "{refusal}"
        );
        let help = refusal.next_step();
        assert!(help.contains(&format!("remove line {first}")), "{help}");
    }
}

#[test]
fn a_table_in_the_wrong_brackets_is_refused_with_the_right_ones() {
    for (from, to, message, underlined, help) in [
        (
            "[[process.thread]]",
            "[process.thread]",
            "of `process.thread` there is a list of tables",
            "[process.thread]",
            "write [[process.thread]], in double brackets",
        ),
        (
            "[kernel]",
            "[[kernel]]",
            "there is one table `kernel` only",
            "[[kernel]]",
            "write [kernel], in single brackets",
        ),
        (
            "[[channel]]\nname = \"faults\"",
            "[channel]\nname = \"faults\"",
            "`channel` stands in single brackets and in double ones",
            "channel",
            "write [[channel]] here too, as in line 42",
        ),
        (
            "[[channel]]\nname = \"echo\"",
            "[channel]\nname = \"echo\"",
            "`channel` stands in single brackets and in double ones",
            "channel",
            "write [[channel]] in line 42 too",
        ),
        (
            "settings = { loops = 1000, bias = -1 }",
            "settings = [1000]",
            "a table is wanted here, and this is a list",
            "[1000]",
            "between braces",
        ),
    ] {
        refused(&with(from, to), message, underlined, help);
    }
}

#[test]
fn a_value_of_the_wrong_type_is_refused() {
    let refusal = &refusals(&with("priority = 20", "priority = \"high\""))[0];
    assert!(
        refusal.to_string().contains("a whole number is wanted"),
        "{refusal}"
    );
    assert_eq!(refusal.underlined(), "\"high\"");
}

#[test]
fn a_channel_whose_owner_is_no_process_is_refused() {
    refused(
        &with("owner = \"server\"", "owner = \"sever\""),
        "channel `echo` has no owner: there is no process `sever`",
        "\"sever\"",
        "did you mean `server`? The processes are: client, server",
    );
}

#[test]
fn a_right_without_an_owner_is_refused() {
    refused(
        &with("from = \"client\"", "from = \"clint\""),
        "the right to send to `echo` has no owner: there is no process `clint`",
        "\"clint\"",
        "did you mean `client`?",
    );
}

#[test]
fn a_connection_to_a_missing_channel_is_refused() {
    refused(
        &with("to = \"echo\"", "to = \"eco\""),
        "`client` cannot send to it: there is no channel `eco`",
        "\"eco\"",
        "did you mean `echo`? The channels are: echo, faults",
    );
}

#[test]
fn a_connection_to_a_process_is_refused_with_the_channels_of_that_one() {
    let text = with("to = \"echo\"", "to = \"server\"");
    refused(
        &text,
        "`client` cannot send to it: `server` is a process, and no channel",
        "\"server\"",
        "name a channel of it: `echo`, `faults`",
    );
    let text = with(
        "from = \"server\"\nto = \"faults\"",
        "from = \"server\"\nto = \"client\"",
    );
    refused(
        &text,
        "`server` cannot send to it: `client` is a process, and no channel",
        "\"client\"",
        "add a [[channel]] with owner = \"client\"",
    );
}

#[test]
fn a_supervisor_channel_that_is_missing_is_refused() {
    refused(
        &with("channel = \"faults\"", "channel = \"fault\""),
        "faults cannot be told: there is no channel `fault`",
        "\"fault\"",
        "did you mean `faults`?",
    );
}

#[test]
fn a_supervisor_without_the_grant_is_refused() {
    refused(
        &with("grants = [\"supervisor\"]", "grants = []"),
        "the supervisor's channel `faults` belongs to `server`, which has no `supervisor` grant",
        "\"faults\"",
        "add grants = [\"supervisor\"] to process `server`",
    );
}

#[test]
fn two_processes_of_one_name_are_refused() {
    let text = with("name = \"server\"", "name = \"client\"").replace("\"server\"", "\"client\"");
    let text = text.replace("restart_with = [\"client\"]\n", "");
    let text = text.replace("grants = [\"shutdown\"]", "grants = [\"supervisor\"]");
    refused(
        &text,
        "there are two processes called `client`",
        "\"client\"",
        "another name",
    );
}

#[test]
fn two_channels_of_one_name_are_refused() {
    let text = with("name = \"faults\"", "name = \"echo\"").replace("\"faults\"", "\"echo\"");
    refused(
        &text,
        "there are two channels called `echo`",
        "\"echo\"",
        "another name",
    );
}

#[test]
fn two_threads_of_one_name_are_refused() {
    let second =
        "[[process.thread]]\nname = \"side-work\"\npriority = 8\nstack = 512\n\n[[process.thread]]";
    refused(
        &with("[[process.thread]]", second),
        "there are two threads of this process called `side-work`",
        "\"side-work\"",
        "another name",
    );
}

#[test]
fn a_thread_called_main_is_refused() {
    refused(
        &with("name = \"side-work\"", "name = \"main\""),
        "`main` is the thread that every process has",
        "\"main\"",
        "another name",
    );
}

#[test]
fn two_connections_of_one_name_are_refused() {
    let second =
        format!("{GOOD}\n[[connection]]\nfrom = \"client\"\nto = \"faults\"\nname = \"repeat\"\n");
    refused(
        &second,
        "`client` has two connections called `repeat`",
        "\"repeat\"",
        "another `name`",
    );
}

#[test]
fn two_connections_with_one_badge_are_refused() {
    let second = format!("{GOOD}\n[[connection]]\nfrom = \"server\"\nto = \"echo\"\nbadge = 7\n");
    refused(
        &second,
        "two connections to `echo` have the badge 7",
        "7",
        "a `badge` of its own",
    );
}

/// `server` is told the clients' names of two channels: of `echo`, to which `client` has badge 7, and of `other`.
fn two_channels_with_client_names(more: &str) -> String {
    let echo = with("order = \"arrival\"", "client_names = true");
    format!(
        "{echo}
[[process]]
name = \"guest\"
program = \"guest\"
priority = 8
stack = \"1KiB\"

[[channel]]
name = \"other\"
owner = \"server\"
client_names = true

[[connection]]
{more}"
    )
}

#[test]
fn one_badge_for_two_processes_whose_names_one_server_is_told_is_refused() {
    let guest = two_channels_with_client_names("from = \"guest\"\nto = \"other\"\nbadge = 7");
    refused(
        &guest,
        "`client` and `guest` have the badge 7 to channels whose `client_names` are told to `server`",
        "\"other\"",
        "give one of the two connections a `badge` of its own",
    );
    // Where nothing is written, badges count from 1 in each channel.
    let counted = two_channels_with_client_names("from = \"guest\"\nto = \"other\"")
        .replace("badge = 7\n", "");
    refused(
        &counted,
        "`client` and `guest` have the badge 1 to channels whose `client_names` are told to `server`",
        "\"other\"",
        "give one of the two connections a `badge` of its own",
    );
}

#[test]
fn badges_tell_clients_apart_only_where_a_server_is_told_their_names() {
    for right in [
        // One process is one name, whatever the channel.
        two_channels_with_client_names("from = \"client\"\nto = \"other\"\nbadge = 7"),
        two_channels_with_client_names("from = \"guest\"\nto = \"other\"\nbadge = 8"),
        // Of this channel no names are told.
        two_channels_with_client_names("from = \"guest\"\nto = \"other\"\nbadge = 7").replace(
            "name = \"other\"\nowner = \"server\"\nclient_names = true",
            "name = \"other\"\nowner = \"server\"",
        ),
        // Those of this one are told to another process.
        two_channels_with_client_names("from = \"client\"\nto = \"other\"\nbadge = 9").replace(
            "name = \"other\"\nowner = \"server\"",
            "name = \"other\"\nowner = \"guest\"",
        ),
    ] {
        resolve(&right).expect("right");
    }
}

#[test]
fn a_badge_out_of_range_is_refused() {
    refused(
        &with("badge = 7", "badge = 0"),
        "badge 0 is out of range",
        "0",
        "from 1 to 4294967295",
    );
}

#[test]
fn a_bad_name_is_refused_with_one_that_would_do() {
    refused(
        &with("name = \"demo\"", "name = \"My_Demo\""),
        "`My_Demo` is not a name",
        "\"My_Demo\"",
        "write `my-demo`",
    );
}

#[test]
fn a_name_for_which_no_file_could_be_called_is_refused() {
    let long = "d".repeat(201);
    refused(
        &with("name = \"demo\"", &format!("name = \"{long}\"")),
        "a name has 201 letters",
        &format!("{long:?}"),
        "leave it 200 at most",
    );
    let shorter = format!("name = {:?}", &long[1..]);
    let shorter = resolve(&with("name = \"demo\"", &shorter));
    assert_eq!(shorter.expect("right").name, long[1..]);
}

#[test]
fn an_empty_name_is_refused() {
    refused(
        &with("name = \"demo\"", "name = \"\""),
        "`` is not a name",
        "\"\"",
        "begin with a letter",
    );
}

#[test]
fn a_priority_out_of_range_is_refused() {
    for (bad, shown) in [("0", "0"), ("32", "32"), ("-1", "-1"), ("300", "300")] {
        refused(
            &with("priority = 10", &format!("priority = {bad}")),
            &format!("priority {shown} is out of range"),
            bad,
            "from 1 to 31",
        );
    }
}

#[test]
fn the_range_of_priorities_is_the_manifests() {
    let text =
        with("priorities = 32", "priorities = 256").replace("priority = 10", "priority = 255");
    assert_eq!(
        resolve(&text).expect("right").processes[0].threads[0].priority,
        255
    );
}

#[test]
fn a_threads_priority_out_of_range_is_refused() {
    refused(
        &with("priority = 9", "priority = 32"),
        "priority 32 is out of range",
        "32",
        "from 1 to 31",
    );
}

#[test]
fn a_channels_fixed_priority_out_of_range_is_refused() {
    refused(
        &with("priority = 5", "priority = 32"),
        "priority 32 is out of range",
        "32",
        "from 1 to 31",
    );
}

#[test]
fn a_channels_priority_that_is_no_priority_is_refused() {
    refused(
        &with("priority = 5", "priority = \"inherits\""),
        "`inherits` is not a priority of a channel",
        "\"inherits\"",
        "write \"inherit\", or a number from 1 to 31",
    );
}

#[test]
fn a_number_of_priorities_that_is_no_power_of_two_is_refused() {
    refused(
        &with("priorities = 32", "priorities = 48"),
        "48 is not a possible number of priorities",
        "48",
        "write one of 32, 64, 128, 256",
    );
}

#[test]
fn a_slice_out_of_range_is_refused() {
    refused(
        &with("\"2ms\"", "\"2s\""),
        "a slice of 2s is out of range",
        "\"2s\"",
        "from 10us to 1s",
    );
}

#[test]
fn a_slice_without_a_unit_is_refused() {
    refused(
        &with("\"2ms\"", "\"2\""),
        "`2` is not a time",
        "\"2\"",
        "ns, us, ms or s",
    );
}

#[test]
fn a_depth_out_of_range_is_refused() {
    refused(
        &with("depth = 4", "depth = 0"),
        "depth 0 is out of range",
        "0",
        "from 1 to 255",
    );
}

#[test]
fn a_cycle_of_restarts_is_refused() {
    refused(
        &with(
            "grants = [\"supervisor\"]",
            "grants = [\"supervisor\"]\nrestart_with = [\"client\"]",
        ),
        "restarts go round in a circle: client → server → client",
        "\"client\"",
        "take `client` out of the restart_with of `server`",
    );
}

#[test]
fn a_process_that_restarts_with_itself_is_refused() {
    refused(
        &with("restart_with = [\"server\"]", "restart_with = [\"client\"]"),
        "restarts go round in a circle: client → client",
        "\"client\"",
        "take `client` out",
    );
}

#[test]
fn a_restart_with_a_missing_process_is_refused() {
    refused(
        &with("restart_with = [\"server\"]", "restart_with = [\"servr\"]"),
        "`client` cannot restart with it: there is no process `servr`",
        "\"servr\"",
        "did you mean `server`?",
    );
}

#[test]
fn a_restart_limit_of_nothing_is_refused() {
    refused(
        &with("restart_limit = 3", "restart_limit = 0"),
        "restart limit 0 is out of range",
        "0",
        "from 1",
    );
}

#[test]
fn a_stack_that_is_larger_than_any_board_is_refused() {
    for (size, shown) in [("\"16388KiB\"", "16388KiB"), ("4294967295", "4294967295")] {
        let message = format!("a stack of {shown} is too large");
        refused(&with("\"2KiB\"", size), &message, size, "16MiB");
    }
}

#[test]
fn a_stack_that_is_too_small_is_refused() {
    refused(
        &with("\"2KiB\"", "128"),
        "a stack of 128 bytes is too small",
        "128",
        "at least 256",
    );
}

#[test]
fn a_misaligned_stack_is_refused() {
    refused(
        &with("\"2KiB\"", "1001"),
        "a stack of 1001 bytes would be misaligned",
        "1001",
        "such as 1008",
    );
}

#[test]
fn a_bad_size_is_refused() {
    refused(
        &with("\"2KiB\"", "\"2KB\""),
        "this is not a size",
        "\"2KB\"",
        "KiB or MiB",
    );
    refused(
        &with("\"2KiB\"", "-1"),
        "this is not a size",
        "-1",
        "KiB or MiB",
    );
}

#[test]
fn a_ram_region_that_is_no_power_of_two_is_refused() {
    refused(
        &with("\"8KiB\"", "\"6KiB\""),
        "a region of 6KiB is not possible",
        "\"6KiB\"",
        "write \"8KiB\"",
    );
}

#[test]
fn stacks_that_do_not_fit_the_ram_region_are_refused() {
    refused(
        &with("\"8KiB\"", "\"1KiB\""),
        "the stacks of `client` take 1568 bytes, more than its RAM region of 1KiB",
        "\"1KiB\"",
        "write \"2KiB\" or more",
    );
}

/// [`GOOD`] with these keys in its server, whose channel `echo` has unblock notices.
fn with_server(keys: &str) -> String {
    with("stack = \"2KiB\"", &format!("stack = \"2KiB\"\n{keys}"))
}

#[test]
fn a_process_without_windows_and_pages_has_none() {
    let app = resolve(GOOD).expect("right");
    for process in &app.processes {
        let lending = &process.lending;
        let numbers = (lending.windows.value, lending.pages.value);
        assert_eq!((numbers, lending.gaps.value), ((0, 0), 0));
    }
}

#[test]
fn windows_are_of_a_page_and_pages_have_one_gap_by_default() {
    let app = resolve(&with_server("windows = 2\npages = \"16KiB\"")).expect("right");
    let lending = &app.processes[1].lending;
    assert_eq!((lending.windows.value, lending.window_size), (2, 4096));
    assert_eq!((lending.pages.value, lending.gaps.value), (16384, 1));

    let text = with_server("windows = 1\nwindow_size = \"64KiB\"\npages = 4096\ngaps = 2");
    let app = resolve(&text).expect("right");
    let lending = &app.processes[1].lending;
    assert_eq!((lending.window_size, lending.gaps.value), (65536, 2));
}

#[test]
fn windows_that_no_message_can_reach_are_refused() {
    let text = with_server("windows = 1").replace(", \"unblock\"", "");
    refused(
        &text,
        "no memory message can reach the windows of `server`",
        "1",
        "add notify = [\"unblock\"] to channel `echo`",
    );
    refused(
        &with("stack = \"1KiB\"", "stack = \"1KiB\"\nwindows = 1"),
        "no memory message can reach the windows of `client`",
        "1",
        "add a [[channel]] with owner = \"client\" and notify = [\"unblock\"]",
    );
}

#[test]
fn a_window_that_is_no_power_of_two_is_refused() {
    refused(
        &with_server("windows = 1\nwindow_size = \"12KiB\""),
        "a window of 12KiB is not possible",
        "\"12KiB\"",
        "windows are powers of two from 4KiB to 1MiB: write \"16KiB\"",
    );
    refused(
        &with_server("windows = 1\nwindow_size = 512"),
        "a window of 512 is not possible",
        "512",
        "write \"4KiB\"",
    );
    refused(
        &with_server("windows = 1\nwindow_size = \"2MiB\""),
        "a window of 2MiB is not possible",
        "\"2MiB\"",
        "write \"1MiB\"",
    );
}

#[test]
fn windows_that_are_filled_for_too_long_are_refused_where_there_are_pages() {
    let text = with_server("windows = 2\nwindow_size = \"256KiB\"");
    assert!(resolve(&text).is_ok());
    refused_on(
        "virt-rv32-mmu",
        &text.replace("mps2-an385", "virt-rv32-mmu"),
        "windows of `server` of 256KiB are too large for virt-rv32-mmu, where each page of one is mapped by itself",
        "2",
        "write `window_size = \"128KiB\"`",
    );
}

#[test]
fn windows_that_have_no_room_together_are_refused() {
    refused(
        &with_server("windows = 3\nwindow_size = \"512KiB\""),
        "3 windows of 512KiB are too large together",
        "3",
        "have 1MiB of its address space: write 2, or a smaller `window_size`",
    );
}

#[test]
fn more_windows_and_mappings_than_the_kernel_looks_through_are_refused() {
    let text = with_pool("block = \"4KiB\"\nblocks = 4\nprocesses = [\"client\"]");
    let text = text.replacen("mappings = 1\n", "windows = 9\nmappings = 8\n", 1);
    // Its board has fewer protection regions, which is another mistake.
    let refusals = refusals(&text);
    let message = "17 windows and mappings together are too many";
    let found = refusals.iter().find(|it| it.to_string() == message);
    let found = found.expect("it is refused");
    assert_eq!(found.underlined(), "8");
    assert!(found.next_step().contains("7 are left for `mappings`"));
}

#[test]
fn pages_that_are_no_power_of_two_are_refused() {
    refused(
        &with_server("pages = \"5KiB\""),
        "pages of 5KiB are not possible",
        "\"5KiB\"",
        "pages are a power of two, at least 4KiB: write \"8KiB\", or leave `pages` out",
    );
    refused(
        &with_server("pages = 0"),
        "pages of 0 are not possible",
        "0",
        "write \"4KiB\"",
    );
}

#[test]
fn pages_that_do_not_fit_the_ram_region_are_refused() {
    refused(
        &with("ram = \"8KiB\"", "ram = \"8KiB\"\npages = \"8KiB\""),
        "the pages of `client` take 8KiB, its stacks 1568 bytes: more than its RAM region of 8KiB",
        "\"8KiB\"",
        "write ram = \"16KiB\" or more, or leave `ram` out",
    );
}

#[test]
fn more_windows_or_gaps_than_there_can_be_are_refused() {
    refused(
        &with_server("windows = 17"),
        "number of windows 17 is out of range",
        "17",
        "write a number from 0 to 16",
    );
    refused(
        &with_server("pages = 4096\ngaps = -1"),
        "number of gaps -1 is out of range",
        "-1",
        "write a number from 0 to 16",
    );
}

#[test]
fn more_windows_and_gaps_than_protection_regions_are_refused() {
    // 2 of memory, 2 peripherals.
    let text = with_server("windows = 3\npages = 4096\ngaps = 2");
    let text = text.replace(", \"mps2-an385\"", "");
    refused(
        &text,
        "`server` needs 9 protection regions; mps2-an386 has 8",
        "3",
        "its memory, peripherals and guards take 4: 4 are left for `windows`, `mappings` and `gaps` together",
    );
    assert!(resolve(&text.replace("windows = 3", "windows = 2")).is_ok());
    // Where protection is by PMP, there is always an entry for a guard.
    let text = text.replace("windows = 3", "windows = 10");
    refused(
        &text.replace("mps2-an386", "virt-rv32"),
        "`server` needs 17 protection regions; virt-rv32 has 16",
        "10",
        "take 5: 11 are left",
    );
    // Where it is by pages, each address that a call names is looked for in all of them.
    let text = text.replace("gaps = 2", "gaps = 11");
    refused(
        &text.replace("mps2-an386", "virt-rv32-mmu"),
        "`server` needs 26 protection regions; virt-rv32-mmu has 24",
        "11",
        "take 5: 19 are left",
    );
}

#[test]
fn a_window_size_or_gaps_without_effect_are_warnings() {
    let warned = |keys: &str, message: &str, underlined: &str| {
        let app = resolve(&with_server(keys)).expect("right");
        assert_eq!(app.warnings[0].to_string(), message);
        assert_eq!(app.warnings[0].underlined(), underlined);
    };
    warned(
        "window_size = 4096",
        "`server` has no windows: their size has no effect",
        "4096",
    );
    warned(
        "gaps = 2",
        "`server` has no pages: nothing of them can be away",
        "2",
    );
}

#[test]
fn too_many_handles_are_refused() {
    let mut text = with("handles = 8", "handles = 4");
    for n in 0..3 {
        text +=
            &format!("\n[[connection]]\nfrom = \"server\"\nto = \"echo\"\nname = \"again-{n}\"\n");
    }
    refused(
        &text,
        "process `server` has 6 handles (4 connections, 2 channels), more than the 4 there are",
        "\"server\"",
        "write handles = 8 in [kernel], or leave it out",
    );
}

#[test]
fn handles_are_by_default_the_fewest_that_do() {
    let few = with("handles = 8\n", "");
    assert_eq!(resolve(&few).expect("right").kernel.handles, 4);
    let mut many = few;
    for n in 0..3 {
        many +=
            &format!("\n[[connection]]\nfrom = \"server\"\nto = \"echo\"\nname = \"again-{n}\"\n");
    }
    assert_eq!(resolve(&many).expect("right").kernel.handles, 8);
}

/// [`GOOD`] with a proxy of the server, which the client may trigger.
fn with_proxy(keys: &str, rights: &str) -> String {
    let proxy = format!(
        "\n[[proxy]]\nname = \"tick\"\nchannel = \"echo\"\n{keys}\n\
         \n[[connection]]\nfrom = \"client\"\nto = \"tick\"\n{rights}\n"
    );
    with("handles = 8\n", "") + &proxy
}

#[test]
fn a_proxy_is_its_channels_owners_and_a_connection_may_lead_to_it() {
    let app = resolve(&with_proxy("message = \"now\"", "rights = [\"transfer\"]")).expect("right");
    let proxy = &app.proxies[0];
    assert_eq!((proxy.channel, proxy.message.as_slice()), (0, &b"now"[..]));
    let [client, server] = app.processes.as_slice() else {
        panic!("two processes")
    };
    assert_eq!(server.objects.fixed, [0]);
    assert_eq!(server.object_slot(0), 3);
    let connection = &client.connections[1];
    assert_eq!(
        (connection.goal, connection.transfer),
        (Goal::Proxy(0), true)
    );
}

#[test]
fn proxies_and_timers_take_handles() {
    let keys = "name = \"client\"\nproxies = 2\ntimers = 4";
    let few = with("handles = 8\n", "");
    let more = few.replacen("name = \"client\"", keys, 1);
    assert_eq!(resolve(&more).expect("right").kernel.handles, 8);
    let more = with("name = \"client\"", keys).replacen("handles = 8", "handles = 4", 1);
    refused(
        &more,
        "process `client` has 7 handles (1 connections, 0 channels, 2 proxies, 4 timers), more than \
         the 4 there are",
        "\"client\"",
        "write handles = 8 in [kernel], or leave it out",
    );
}

#[test]
fn more_proxies_or_timers_than_handles_are_refused() {
    refused(
        &with("name = \"client\"", "name = \"client\"\nproxies = 256"),
        "number of proxies 256 is out of range",
        "256",
        "write a number from 0 to 255",
    );
    refused(
        &with("name = \"client\"", "name = \"client\"\ntimers = -1"),
        "number of timers -1 is out of range",
        "-1",
        "write a number from 0 to 255",
    );
}

#[test]
fn timers_come_a_thousand_times_a_second_if_the_manifest_does_not_say() {
    let rates = |keys: &str| {
        let app = resolve(&with("name = \"client\"", keys)).expect("right");
        let rates = &app.processes[0].rates;
        let interrupts = rates.interrupts.as_ref().map(|rate| rate.value);
        (app.processes[0].objects.timer_rate, interrupts)
    };
    assert_eq!(rates("name = \"client\"\ntimers = 3").0, 1000);
    let keys = "name = \"client\"\ntimers = 3\ntimer_rate = 50";
    assert_eq!(rates(keys), (50, None));
    let keys = "name = \"client\"\ninterrupts = [\"software\"]\ninterrupt_rate = 70";
    assert_eq!(rates(keys), (1000, Some(70)));
}

#[test]
fn more_timers_and_interrupts_than_a_board_has_time_for_are_refused() {
    let one = |keys: &str| {
        let boards = "boards = [\"mps2-an386\", \"mps2-an385\"]";
        let one = with("name = \"client\"", keys);
        one.replacen(boards, "boards = [\"mps2-an386\"]", 1)
    };
    // 800 ticks of 25,000,000 a second each.
    let keys = |rate: u32| format!("name = \"client\"\ntimers = 1\ntimer_rate = {rate}");
    resolve(&with("name = \"client\"", &keys(15_625))).expect("just half of the time");
    refused(
        &one(&keys(15_650)),
        "timers and interrupts can take 50.1 % of mps2-an386, more than 50 %; those of `client` take \
         50.1 %",
        "15650",
        "they are due 15650 times a second together, and mps2-an386 has time for 15625: write smaller \
         rates, or take it out of `boards`",
    );
    // All processes count, and each interrupt of one; the one who takes the most is named.
    let lines = "name = \"client\"\ninterrupts = [\"software\", \"spare\"]\ninterrupt_rate = 7000";
    let both = one(lines).replacen(
        "name = \"server\"",
        "name = \"server\"\ntimers = 2\ntimer_rate = 2000",
        1,
    );
    refused(
        &both,
        "timers and interrupts can take 51.2 % of mps2-an386, more than 50 %; those of `client` take \
         44.8 %",
        "7000",
        "they are due 16000 times a second together",
    );
}

#[test]
fn whatever_an_event_takes_on_a_board_what_it_has_no_time_for_is_refused() {
    let mut all = boards();
    for board in &mut all {
        board.clock.hertz = u32::MAX.into();
        board.clock.event = u32::MAX.into();
    }
    let rate = "name = \"client\"\ntimers = 1\ntimer_rate = 10_000_000";
    let source = Source {
        path: "app.toml".into(),
        text: with("name = \"client\"", rate).into(),
    };
    let report = manifest::resolve(source, ".".into(), &all).expect_err("an event a second");
    let said = Refusals::all(&report)[0].to_string();
    let start = "timers and interrupts can take 1000000000 % of mps2-an386, more than 50 %";
    assert!(said.starts_with(start), "{said}");
}

#[test]
fn a_rate_of_nothing_is_warned_of_and_one_that_is_none_is_refused() {
    let none = with(
        "name = \"client\"",
        "name = \"client\"\ntimer_rate = 10\ninterrupt_rate = 10",
    );
    let warnings = resolve(&none).expect("right").warnings;
    let said: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    let has = |what: &str| said.iter().any(|warning| warning.contains(what));
    assert!(
        has("`client` has no timers") && has("`client` has no interrupts"),
        "{said:?}"
    );
    refused(
        &with(
            "name = \"client\"",
            "name = \"client\"\ntimers = 1\ntimer_rate = 0",
        ),
        "rate of timers 0 is out of range",
        "0",
        "write a number from 1 to 10000000",
    );
}

#[test]
fn a_proxy_without_a_channel_is_refused() {
    refused(
        &with_proxy("", "").replacen("channel = \"echo\"", "channel = \"ecco\"", 1),
        "proxy `tick` has no channel: there is no channel `ecco`",
        "\"ecco\"",
        "`echo`",
    );
}

#[test]
fn a_proxy_with_a_long_message_is_refused() {
    let message = format!("{:?}", "x".repeat(101));
    refused(
        &with_proxy(&format!("message = {message}"), ""),
        "a message of 101 bytes is too long for a proxy",
        &message,
        "write at most 100 bytes",
    );
}

#[test]
fn a_proxy_called_as_a_channel_is_refused() {
    refused(
        &with_proxy("", "")
            .replacen("name = \"tick\"", "name = \"faults\"", 1)
            .replacen("to = \"tick\"", "to = \"echo\"", 1),
        "there is a channel called `faults`, too",
        "\"faults\"",
        "give the proxy another name",
    );
}

#[test]
fn a_connection_to_a_proxy_has_neither_badge_nor_bits() {
    refused(
        &with_proxy("", "badge = 3"),
        "`tick` is a proxy: its owner does not see who triggers it",
        "3",
        "leave `badge` out",
    );
    refused(
        &with_proxy("", "rights = [\"notify\"]"),
        "`tick` is a proxy: it has no notification bits",
        "\"tick\"",
        "leave the right \"notify\" out",
    );
}

#[test]
fn a_number_of_handles_that_is_no_power_of_two_is_refused() {
    refused(
        &with("handles = 8", "handles = 6"),
        "6 is not a possible number of handles",
        "6",
        "write one of 4, 8, 16, 32, 64, 128, 256",
    );
}

#[test]
fn too_many_threads_are_refused() {
    let mut text = with("handles = 8\n", "");
    for n in 0..253 {
        text = text.replacen(
            "\n[[process]]\nname = \"server\"",
            &format!("\n[[process.thread]]\nname = \"t{n}\"\npriority = 1\nstack = 256\n\n[[process]]\nname = \"server\""),
            1,
        );
    }
    let text = text.replace("ram = \"8KiB\"\n", "");
    refused(
        &text,
        "there are more than 255 threads",
        "\"server\"",
        "leave some threads out",
    );
}

#[test]
fn an_unknown_board_is_refused() {
    refused(
        &with("\"mps2-an385\"", "\"mps2-an358\""),
        "there is no board `mps2-an358`",
        "\"mps2-an358\"",
        "did you mean `mps2-an385`? The boards are: ibex, mps2-an385, mps2-an386",
    );
}

#[test]
fn no_board_at_all_is_refused() {
    refused(
        &with("[\"mps2-an386\", \"mps2-an385\"]", "[]"),
        "the application runs on no board",
        "[]",
        "mps2-an385, mps2-an386",
    );
}

fn board(name: &str) -> Board {
    let mut boards = boards().into_iter();
    boards.find(|board| board.name == name).expect("there")
}

/// [`GOOD`] on three boards, with `tables` at its end.
fn on_three_boards(tables: &str) -> String {
    let three = "\"mps2-an386\", \"mps2-an385\", \"ibex\"]";
    with("\"mps2-an386\", \"mps2-an385\"]", three) + tables
}

/// What `text` is on `board`.
#[test]
fn devices_that_no_process_can_see_are_refused_however_large_they_are() {
    let mut board = board("virt-rv32-mmu");
    for name in ["card", "random"] {
        let device = board.peripherals.get_mut(name).expect("there");
        device.region = Region {
            base: 0x9000_0000,
            size: 0x6000_0000,
        };
    }
    for name in ["gpio0", "ethernet"] {
        let device = board.peripherals.get_mut(name).expect("there");
        device.region.size = 0x8000_0000;
    }
    let text = GOOD
        .replace("[\"mps2-an386\", \"mps2-an385\"]", "[\"virt-rv32-mmu\"]")
        .replace(
            "\"uart0\", \"timer1\"",
            "\"card\", \"random\", \"gpio0\", \"ethernet\"",
        );
    let source = Source {
        path: "app.toml".into(),
        text: text.into(),
    };
    let report = manifest::resolve(source, ".".into(), &[board]).expect_err("it is wrong");
    let refusals = Refusals::all(&report);
    assert_eq!(
        refusals[0].to_string(),
        "the peripherals of `server` take more than the 512KiB that a process on virt-rv32-mmu has for them"
    );
}

fn on(text: &str, name: &str) -> Application {
    let application = resolve(text).expect("right somewhere");
    application.on(&board(name)).expect("right there")
}

/// As [`refused`], but only on the board `name`.
#[track_caller]
fn refused_on(name: &str, text: &str, message: &str, underlined: &str, help: &str) {
    let application = resolve(text).expect("right elsewhere");
    for board in boards() {
        let runs = application.boards.iter().any(|it| it.value == board.name);
        if runs && board.name != name {
            application.on(&board).expect("right");
        }
    }
    let report = application.on(&board(name)).expect_err("wrong there");
    let refusals = Refusals::all(&report);
    assert_eq!(refusals.len(), 1, "{refusals:#?}");
    assert_eq!(refusals[0].to_string(), message);
    assert_eq!(refusals[0].underlined(), underlined);
    let next = refusals[0].next_step();
    assert!(next.contains(help), "help: {next}");
}

#[test]
fn a_boards_table_is_written_over_the_rest_for_that_board_only() {
    let text = on_three_boards(
        r#"
[board.ibex.kernel]
depth = 6
[board.ibex.process.client]
ram = "16KiB"
grants = []
settings = { loops = 10 }
[board.ibex.process.client.thread.side-work]
stack = 1024
[board.ibex.channel.echo]
order = "priority"
[board.ibex.connection.repeat]
badge = 9
"#,
    );
    for (name, ram, stack, loops, shutdown, depth, badge) in [
        ("mps2-an386", 8 << 10, 512, 1000, true, 4, 7),
        ("ibex", 16 << 10, 1024, 10, false, 6, 9),
    ] {
        let application = on(&text, name);
        let client = &application.processes[0];
        assert_eq!(
            client.ram.as_ref().map(|ram| ram.value),
            Some(ram),
            "{name}"
        );
        assert_eq!(client.threads[1].stack.value, stack, "{name}");
        assert_eq!(client.grants.shutdown, shutdown, "{name}");
        assert_eq!(application.kernel.depth, depth, "{name}");
        let goal = client.connections[0].goal;
        assert_eq!(goal, to_channel(0, badge), "{name}");
        let settings = client.settings.iter();
        let settings: Vec<_> = settings.map(|it| (it.name.as_str(), it.value)).collect();
        let bias = -1_i32 as u32;
        assert!(settings.contains(&("loops", loops)) && settings.contains(&("bias", bias)));
    }
}

#[test]
fn a_boards_table_changes_every_copy_of_a_process() {
    let text = on_three_boards("[board.ibex.process.worker]\nstack = 1024\n");
    let worker = "[[process]]\nname = \"worker\"\nprogram = \"worker\"\ncopies = 2\n\
                  priority = 1\nstack = 512\n\n[[channel]]\nname = \"echo\"";
    let text = text.replacen("[[channel]]\nname = \"echo\"", worker, 1);
    for (name, stack) in [("mps2-an385", 512), ("ibex", 1024)] {
        let copies = &on(&text, name).processes[2..];
        let stacks: Vec<u32> = copies.iter().map(|it| it.threads[0].stack.value).collect();
        assert_eq!(stacks, [stack, stack], "{name}");
    }
}

#[test]
fn a_list_of_tables_is_there_for_its_board_only() {
    let text = on_three_boards(
        r#"
[[board.ibex.process]]
name = "extra"
program = "extra"
priority = 1
stack = 512
[[board.ibex.connection]]
from = "extra"
to = "echo"
"#,
    );
    assert_eq!(on(&text, "mps2-an386").processes.len(), 2);
    let ibex = on(&text, "ibex");
    assert_eq!(ibex.processes[2].name.value, "extra");
    assert_eq!(ibex.processes[2].connections.len(), 1);
}

#[test]
fn what_one_board_lacks_does_not_stop_another() {
    let text = on_three_boards("").replace("\"timer1\"]", "\"timer1\"]\ninterrupts = [\"gpio0\"]");
    refused_on(
        "ibex",
        &text,
        "board ibex has no interrupt `gpio0`",
        "\"gpio0\"",
        "stands in [board.ibex.process.server]",
    );
    let text = text + "[board.ibex.process.server]\ninterrupts = [\"line3\"]\n";
    assert_eq!(on(&text, "ibex").processes[1].interrupts[0].value, "line3");
    assert_eq!(
        on(&text, "mps2-an385").processes[1].interrupts[0].value,
        "gpio0"
    );
}

#[test]
fn what_is_wrong_in_a_boards_table_is_refused_on_that_board() {
    refused_on(
        "ibex",
        &on_three_boards("[board.ibex.process.server]\npriority = 99\n"),
        "priority 99 is out of range",
        "99",
        "write a number from 1 to 31",
    );
}

#[test]
fn what_is_wrong_on_every_board_is_told_for_whichever_is_built() {
    let text = on_three_boards("[board.ibex.process.server]\ninterrupts = []\n");
    refused(
        &text.replace(
            "owner = \"server\"\npriority",
            "owner = \"sever\"\npriority",
        ),
        "channel `echo` has no owner: there is no process `sever`",
        "\"sever\"",
        "did you mean `server`?",
    );
}

#[test]
fn a_mistyped_table_of_a_board_is_told_for_whichever_is_built() {
    for (table, message, underlined, help) in [
        (
            "[board.ibx.kernel]\n",
            "there is no board `ibx`",
            "ibx",
            "did you mean `ibex`? The application's boards are: mps2-an386, mps2-an385, ibex",
        ),
        (
            "[board.vexriscv.kernel]\n",
            "the application does not run on `vexriscv`",
            "vexriscv",
            "add \"vexriscv\" to `boards`, or leave the table out",
        ),
        (
            "[board.ibex.proces.server]\n",
            "unknown key `proces`",
            "proces",
            "did you mean `process`?",
        ),
        (
            "[board.ibex.process.sever]\nstack = 512\n",
            "there is no process `sever` that could differ",
            "sever",
            "did you mean `server`? The processes are: client, server",
        ),
        (
            "[board.ibex.process.server]\nstak = 512\n",
            "unknown key `stak`",
            "stak",
            "did you mean `stack`?",
        ),
        (
            "[board.ibex.process.client.thread.sidework]\nstack = 512\n",
            "there is no thread `sidework` that could differ",
            "sidework",
            "did you mean `side-work`?",
        ),
        (
            "[board.ibex.region.common]\nsize = \"4KiB\"\n",
            "there is no region `common` that could differ",
            "common",
            "there are no regions here",
        ),
        (
            "[board.ibex.process.server]\npriority = true\n",
            "a whole number is wanted here, and this is boolean `true`",
            "true",
            "write digits alone",
        ),
    ] {
        refused(&on_three_boards(table), message, underlined, help);
    }
}

#[test]
fn what_several_boards_are_warned_of_is_told_once() {
    let warnings = resolve(GOOD).expect("right").warnings;
    assert_eq!(warnings.len(), 1, "{warnings:?}");
}

#[test]
fn an_unknown_peripheral_is_refused() {
    refused(
        &with("\"timer1\"", "\"timer9\""),
        "board mps2-an386 has no peripheral `timer9`",
        "\"timer9\"",
        "did you mean `timer1`? The peripherals are: ethernet, gpio0, ticktimer, timer1, uart0",
    );
}

#[test]
fn an_unknown_interrupt_is_refused() {
    refused(
        &with(
            "peripherals = [\"uart0\", \"timer1\"]",
            "interrupts = [\"timer9\"]",
        ),
        "board mps2-an386 has no interrupt `timer9`",
        "\"timer9\"",
        "did you mean `timer1`? The interrupts are: ethernet, gpio0, software, spare, timer1, uart0-receive, \
         uart0-send",
    );
}

#[test]
fn an_interrupt_that_is_given_twice_is_refused() {
    let twice = "grants = [\"shutdown\"]\ninterrupts = [\"timer1\", \"timer1\"]";
    refused(
        &with("grants = [\"shutdown\"]", twice),
        "interrupt `timer1` is given twice: `client` has it",
        "\"timer1\"",
        "let one process handle it",
    );
}

#[test]
fn more_peripherals_than_protection_regions_are_refused() {
    let mut board = boards()
        .into_iter()
        .find(|board| board.name == "mps2-an386")
        .expect("there");
    board.protection.regions = 3;
    let text = with(", \"mps2-an385\"", "");
    let source = Source {
        path: "app.toml".into(),
        text: text.as_str().into(),
    };
    let report = manifest::resolve(source, ".".into(), &[board]).expect_err("too many");
    let refusals = Refusals::all(&report);
    assert_eq!(
        refusals[0].to_string(),
        "`server` needs 4 protection regions; mps2-an386 has 3"
    );
    assert_eq!(refusals[0].underlined(), "\"timer1\"");
    assert!(refusals[0].next_step().contains("at most 1 peripherals"));
}

#[test]
fn floating_point_on_a_board_without_an_fpu_is_refused() {
    refused_on(
        "mps2-an385",
        &with("stack = \"2KiB\"", "stack = \"2KiB\"\nfpu = true"),
        "`server` cannot use floating point in hardware: mps2-an385 has no FPU",
        "true",
        "leave `fpu` out, so that it is computed in software, or take mps2-an385 out of `boards`",
    );
}

#[test]
fn floating_point_in_software_runs_on_every_board() {
    let text = with("stack = \"2KiB\"", "stack = \"2KiB\"\nfpu = false");
    let app = resolve(&text).expect("right");
    assert!(app.processes.iter().all(|process| !process.fpu.value));
}

#[test]
fn only_the_process_that_says_so_uses_floating_point_in_hardware() {
    let text = with(", \"mps2-an385\"", "").replacen(
        "stack = \"2KiB\"",
        "stack = \"2KiB\"\nfpu = true",
        1,
    );
    let app = resolve(&text).expect("right");
    let fpu: Vec<bool> = app
        .processes
        .iter()
        .map(|process| process.fpu.value)
        .collect();
    assert_eq!(fpu, [false, true]);
}

#[test]
fn the_kernels_own_peripheral_is_refused() {
    let text = with(
        "boards = [\"mps2-an386\", \"mps2-an385\"]",
        "boards = [\"mps2-an386\"]",
    );
    let refusal = refused(
        &text.replace("\"timer1\"", "\"dualtimer\""),
        "peripheral `dualtimer` of mps2-an386 is the kernel's own",
        "\"dualtimer\"",
        "gpio0, ticktimer, timer1, uart0",
    );
    assert!(!refusal.next_step().contains(": dualtimer"));
}

#[test]
fn a_peripheral_for_two_processes_is_refused() {
    refused(
        &with(
            "grants = [\"shutdown\"]",
            "grants = [\"shutdown\"]\nperipherals = [\"uart0\"]",
        ),
        "`server` cannot have peripheral `uart0`: `client` has it",
        "\"uart0\"",
        "serve the others through a channel",
    );
}

#[test]
fn a_peripheral_that_a_process_names_twice_is_refused_also_if_others_may_have_it() {
    refused(
        &with("\"timer1\"]", "\"timer1\", \"timer1\"]"),
        "`server` has peripheral `timer1` twice",
        "\"timer1\"",
        "name each peripheral once",
    );
}

#[test]
fn a_workspace_is_refused_as_a_program() {
    refused(
        &with("program = \"demo-server\"", "program = \"./..\""),
        "./.. is a workspace, and no program",
        "\"./..\"",
        "name the directory of a program",
    );
}

#[test]
fn a_directory_without_a_crate_is_refused() {
    refused(
        &with("\"demo-client\"", "\"./nowhere\""),
        "there is no program in ./nowhere",
        "\"./nowhere\"",
        "must hold a Cargo.toml",
    );
}

#[test]
fn a_program_that_is_neither_package_nor_directory_is_refused() {
    refused(
        &with("\"demo-client\"", "\"src/client\""),
        "`src/client` is neither a package nor a directory",
        "\"src/client\"",
        "begins with ./ or ../",
    );
}

#[test]
fn a_setting_that_does_not_fit_is_refused() {
    refused(
        &with("loops = 1000", "loops = 4294967296"),
        "4294967296 does not fit 32 bits",
        "4294967296",
        "4294967295",
    );
}

#[test]
fn a_setting_may_be_an_address_which_is_one_number_or_four() {
    let text = with("bias = -1", "four = \"10.0.2.15\", six = \"fd00::1:2\"");
    let app = resolve(&text).expect("right");
    let settings = app.processes[0].settings.iter();
    let settings: Vec<_> = settings.map(|it| (it.name.as_str(), it.value)).collect();
    let expected = [
        ("loops", 1000),
        ("four", 0x0A00_020F),
        ("six-0", 0xFD00_0000),
        ("six-1", 0),
        ("six-2", 0),
        ("six-3", 0x0001_0002),
    ];
    assert_eq!(settings, expected);
}

#[test]
fn a_setting_whose_text_is_no_address_is_refused() {
    refused(
        &with("loops = 1000", "loops = \"fd00::1/64\""),
        "`fd00::1/64` is no address",
        "\"fd00::1/64\"",
        "10.0.2.15",
    );
}

#[test]
fn a_setting_that_is_neither_a_number_nor_an_address_is_refused() {
    refused(
        &with("loops = 1000", "loops = true"),
        "a whole number or an address is wanted here",
        "true",
        "docs/src/manifest.md",
    );
}

#[test]
fn a_setting_that_is_there_twice_as_an_address_and_a_number_is_refused() {
    refused(
        &with("bias = -1", "a = \"::1\", a-2 = 5"),
        "`a-2` is set twice",
        "a-2",
        "and not both",
    );
}

#[test]
fn an_application_without_processes_is_refused() {
    refused(
        "[application]\nname = \"empty\"\nboards = [\"mps2-an386\"]\n",
        "the application has no process",
        "\"empty\"",
        "add a [[process]]",
    );
}

#[test]
fn what_comes_by_a_channel_is_of_no_use_to_a_process_without_one() {
    for (key, value) in [
        ("timers", "2"),
        ("proxies", "1"),
        ("interrupts", "[\"timer1\"]"),
    ] {
        let client = "name = \"client\"\n";
        let text = GOOD.replacen(client, &format!("{client}{key} = {value}\n"), 1);
        assert_ne!(text, GOOD);
        let app = resolve(&text).expect("a warning does not stop");
        let warnings: Vec<String> = app.warnings.iter().map(ToString::to_string).collect();
        let told = format!("`client` has {key}, and no channel by which they could come");
        assert!(warnings.contains(&told), "{warnings:?}");
        let owns = format!("{text}\n[[channel]]\nname = \"own\"\nowner = \"client\"\n");
        let app = resolve(&owns).expect("right");
        assert!(
            app.warnings
                .iter()
                .all(|it| !it.to_string().contains("no channel"))
        );
    }
}

#[test]
fn a_channel_that_nobody_may_send_to_is_only_a_warning() {
    let text = format!("{GOOD}\n[[channel]]\nname = \"idle\"\nowner = \"client\"\n");
    let app = resolve(&text).expect("a warning does not stop");
    let warning = app
        .warnings
        .iter()
        .find(|w| w.underlined() == "\"idle\"")
        .expect("warned");
    assert_eq!(warning.severity(), Some(Severity::Warning));
    assert_eq!(warning.to_string(), "nobody may send to channel `idle`");
}

#[test]
fn a_send_that_only_deadlocks_is_a_warning() {
    let app = resolve(GOOD).expect("right");
    let warnings: Vec<String> = app.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        ["`server` sends to its own channel `faults`, but has only one thread"]
    );
}

#[test]
fn a_restart_limit_without_a_restart_is_a_warning() {
    let app = resolve(&with(
        "stack = \"2KiB\"",
        "stack = \"2KiB\"\nrestart_limit = 2",
    ));
    let app = app.expect("a warning does not stop");
    assert_eq!(
        app.warnings[0].to_string(),
        "`server` is never restarted: `restart_limit` has no effect"
    );
}

#[test]
fn a_delay_that_is_no_time_or_out_of_range_is_refused() {
    for (written, message, help) in [
        (
            "\"10\"",
            "`10` is not a time",
            "write a number and its unit",
        ),
        (
            "\"2h\"",
            "`2h` is not a time",
            "write a number and its unit",
        ),
        (
            "\"3601s\"",
            "a delay of 3601s is out of range",
            "write a time from 1us to 3600s",
        ),
    ] {
        let text = with(
            "restart_limit = 3",
            &format!("restart_limit = 3\nrestart_delay = {written}"),
        );
        refused(&text, message, written, help);
    }
    refused(
        &with(
            "restart_limit = 3",
            "restart_limit = 3\nrestart_window = \"1ns\"",
        ),
        "a window of 1ns is out of range",
        "\"1ns\"",
        "write a time from 1us to 3600000s",
    );
}

#[test]
fn a_reset_without_a_limit_is_refused() {
    refused(
        &with("restart_limit = 3", "on_limit = \"reset\""),
        "`client` has no limit to reach",
        "\"reset\"",
        "add restart_limit = 5",
    );
}

#[test]
fn signals_go_to_others_that_are_there_and_take_some_and_to_each_once() {
    for (keys, message, at, help) in [
        (
            "signals = [\"server\"]",
            "`server` takes no signals",
            "\"server\"",
            "add signal_queue = 0 to `server`",
        ),
        (
            "signals = [\"client\"]",
            "`client` may send signals to itself anyway",
            "\"client\"",
            "leave it out",
        ),
        (
            "signals = [\"servr\"]",
            "`client` cannot send signals to it: there is no process `servr`",
            "\"servr\"",
            "did you mean `server`?",
        ),
        (
            "signal_queue = 33",
            "number of queued signals 33 is out of range",
            "33",
            "write a number from 0 to 32",
        ),
    ] {
        let text = with("restart_limit = 3", &format!("restart_limit = 3\n{keys}"));
        refused(&text, message, at, help);
    }
}

#[test]
fn who_controls_nobody_that_is_there_or_itself_or_somebody_twice_is_refused() {
    for (controls, message, at, help) in [
        (
            "[\"servr\"]",
            "`client` cannot control it: there is no process `servr`",
            "\"servr\"",
            "did you mean `server`?",
        ),
        (
            "[\"client\"]",
            "`client` controls itself",
            "\"client\"",
            "leave it out",
        ),
        (
            "[\"server\", \"server\"]",
            "`server` stands here twice",
            "\"server\"",
            "leave one of the two out",
        ),
    ] {
        let text = with(
            "restart_limit = 3",
            &format!("restart_limit = 3\ncontrols = {controls}"),
        );
        refused(&text, message, at, help);
    }
}

#[test]
fn restarts_and_who_is_controlled_are_as_the_manifest_says() {
    let text = with(
        "restart_limit = 3",
        "restart_limit = 3\nrestart_delay = \"2ms\"\nrestart_window = \"1s\"\non_limit = \"reset\"\n\
         controls = [\"server\"]",
    );
    let app = resolve(&text).expect("right");
    let expected = Restart {
        limit: Some(3),
        resets: true,
        delay_ns: 2_000_000,
        window_ns: Some(1_000_000_000),
        with: vec![1],
        controls: vec![1],
    };
    assert_eq!(app.processes[0].restart, expected);
}

#[test]
fn a_manifest_that_is_not_there_is_refused() {
    let error = manifest::load(Path::new("nowhere/app.toml"), &boards()).expect_err("not there");
    assert!(
        error.to_string().contains("cannot read nowhere/app.toml"),
        "{error}"
    );
    assert!(error.help().is_some());
}

/// A slip of a hand: some of the text goes, something else stands there.
fn slip() -> impl Strategy<Value = (usize, usize, String)> {
    let pieces = [
        "",
        "\"",
        "[",
        "]]",
        "=",
        "\n",
        "é",
        "#",
        "-1",
        "99999999999999999999",
        "name",
    ];
    let piece = proptest::sample::select(pieces.map(str::to_owned).to_vec());
    (0..GOOD.len(), 0usize..40, piece)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_text_makes_the_check_panic_and_every_refusal_can_be_shown(
        slips in proptest::collection::vec(slip(), 1..4),
    ) {
        let mut text = GOOD.to_owned();
        for (start, length, piece) in slips {
            let boundary = |at: usize| (at..).find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            let start = boundary(start.min(text.len()));
            let end = boundary((start + length).min(text.len()));
            text.replace_range(start..end, &piece);
        }
        if let Err(report) = resolve(&text) {
            for refusal in Refusals::all(&report) {
                prop_assert!(refusal.position().0 >= 1);
                prop_assert!(refusal.underlined().len() <= text.len());
                prop_assert!(!refusal.next_step().is_empty());
            }
            let shown = format!("{report:?}");
            prop_assert!(shown.contains("app.toml"));
        }
    }
}

/// [`GOOD`] with a region of these keys.
fn with_region(keys: &str) -> String {
    format!("{GOOD}\n[[region]]\nname = \"common\"\n{keys}\n")
}

#[test]
fn a_region_is_given_to_the_processes_that_it_names() {
    let text = with_region(
        "size = \"4KiB\"\nprocesses = [\"server\", { process = \"client\", access = \"read\" }]",
    );
    let app = resolve(&text).expect("right");
    let region = &app.regions[0];
    assert_eq!(
        (region.name.value.as_str(), region.size.value),
        ("common", 4096)
    );
    let mapped: Vec<_> = app
        .processes
        .iter()
        .map(|process| (process.regions[0].region, process.regions[0].writable))
        .collect();
    assert_eq!(mapped, [(0, false), (0, true)]);
}

#[test]
fn a_region_for_an_unknown_process_is_refused() {
    refused(
        &with_region("size = 64\nprocesses = [\"clint\"]"),
        "region `common` cannot be given to it: there is no process `clint`",
        "\"clint\"",
        "did you mean `client`?",
    );
}

#[test]
fn a_mistake_in_the_table_of_a_regions_process_is_told_where_it_stands() {
    for (process, message, underlined, help) in [
        (
            "{ process = \"client\", access = \"reed\" }",
            "`reed` is not possible here",
            "\"reed\"",
            "did you mean `read`?",
        ),
        (
            "{ process = \"client\", acces = \"read\" }",
            "unknown key `acces`",
            "acces",
            "did you mean `access`?",
        ),
        (
            "5",
            "the name of a process, or { process = \"name\", access = \"read\" }, is wanted here, and this is integer `5`",
            "5",
            "docs/src/manifest.md",
        ),
    ] {
        let keys = format!("size = \"1KiB\"\nprocesses = [\"server\", {process}]");
        refused(&with_region(&keys), message, underlined, help);
    }
}

#[test]
fn a_region_given_twice_to_a_process_is_refused() {
    refused(
        &with_region(
            "size = 64\nprocesses = [\"client\", { process = \"client\", access = \"read\" }]",
        ),
        "region `common` is given to `client` twice",
        "{ process = \"client\", access = \"read\" }",
        "name each process once",
    );
}

#[test]
fn a_region_of_nobody_is_refused_and_one_that_nobody_writes_is_a_warning() {
    refused(
        &with_region("size = 64\nprocesses = []"),
        "no process may use region `common`",
        "[]",
        "name the processes that may",
    );
    let text = with_region("size = 64\nprocesses = [{ process = \"client\", access = \"read\" }]");
    let warnings = resolve(&text).expect("right").warnings;
    assert_eq!(
        warnings[0].to_string(),
        "nobody may write region `common`: it is zero for ever"
    );
}

/// [`GOOD`] with a pool of these keys, and processes that map regions.
fn with_pool(keys: &str) -> String {
    let good = GOOD.replacen("[[process]]\n", "[[process]]\nmappings = 1\n", 1);
    format!("{good}\n[[pool]]\nname = \"frames\"\n{keys}\n")
}

#[test]
fn a_pool_gives_each_process_that_it_names_a_quota() {
    let text = with_pool(
        "block = \"4KiB\"\nblocks = 4\nprocesses = [\"server\", { process = \"client\", blocks = 2 }]",
    );
    let app = resolve(&text).expect("right");
    let pool = &app.pools[0];
    assert_eq!((pool.block.value, pool.blocks), (4096, 4));
    let quotas = app.processes.iter().map(|process| process.quotas[0]);
    let mut most: Vec<u32> = quotas.map(|quota| quota.most).collect();
    most.sort_unstable();
    assert_eq!(most, [2, 4]);
}

#[test]
fn a_pool_that_is_not_possible_is_refused() {
    let keys = "blocks = 4\nprocesses = [\"client\"]";
    refused(
        &with_pool(&format!("block = 5000\n{keys}")),
        "a block of 5000 is not possible",
        "5000",
        "write \"8KiB\"",
    );
    refused(
        &with_pool("block = 4096\nblocks = 3\nprocesses = [\"client\"]"),
        "3 is not a possible number of blocks",
        "3",
        "write one of 1, 2, 4",
    );
    refused(
        &with_pool("block = 4096\nblocks = 4\nprocesses = [{ process = \"client\", blocks = 5 }]"),
        "number of blocks 5 is out of range",
        "{ process = \"client\", blocks = 5 }",
        "write a number from 1 to 4",
    );
    refused(
        &with_pool("block = 4096\nblocks = 4\nprocesses = []"),
        "no process may make regions of pool `frames`",
        "[]",
        "name the processes that may",
    );
    refused(
        &with_pool("block = 4096\nblocks = 4\nprocesses = [\"clint\"]"),
        "pool `frames` cannot be given to it: there is no process `clint`",
        "\"clint\"",
        "did you mean `client`?",
    );
    refused(
        &with_pool("block = 4096\nblocks = 4\nprocesses = [\"client\", \"client\"]"),
        "pool `frames` is given to `client` twice",
        "\"client\"",
        "name each process once",
    );
}

#[test]
fn a_region_that_is_no_power_of_two_is_refused() {
    refused(
        &with_region("size = 5000\nprocesses = [\"client\"]"),
        "a region of 5000 is not possible",
        "5000",
        "write \"8KiB\"",
    );
    refused(
        &with_region("size = 16\nprocesses = [\"client\"]"),
        "a region of 16 is not possible",
        "16",
        "at least 32 bytes",
    );
}

#[test]
fn the_size_that_a_refusal_proposes_is_one() {
    let largest = "4294967295";
    for text in [
        with("\"8KiB\"", largest),
        with_region(&format!("size = {largest}\nprocesses = [\"client\"]")),
        with_server(&format!("pages = {largest}")),
    ] {
        let refusals = refusals(&text);
        let next = refusals[0].next_step();
        assert!(next.contains("write \"2048MiB\""), "{next}");
    }
}

#[test]
fn a_region_smaller_than_a_page_is_refused_where_there_are_pages() {
    let text = with_region("size = 64\nprocesses = [\"client\"]");
    assert!(resolve(&text).is_ok());
    refused_on(
        "virt-rv32-mmu",
        &text.replace("mps2-an385", "virt-rv32-mmu"),
        "region `common` of 64 is too small for virt-rv32-mmu, where the least is 4KiB",
        "64",
        "write \"4KiB\", or take virt-rv32-mmu out",
    );
}

#[test]
fn regions_that_no_process_could_see_are_refused() {
    let text = with_region("size = \"1MiB\"\nprocesses = [\"client\"]");
    assert!(resolve(&text).is_ok());
    refused_on(
        "virt-rv32-mmu",
        &text.replace("mps2-an385", "virt-rv32-mmu"),
        "the regions take 1MiB together; on virt-rv32-mmu processes see 512KiB of them",
        "\"1MiB\"",
        "make them smaller",
    );
}

#[test]
fn more_regions_than_a_board_can_protect_are_refused_with_what_takes_them() {
    // Code and RAM, two peripherals, five regions.
    let regions: String = (0..5)
        .map(|n| format!("[[region]]\nname = \"r{n}\"\nsize = 64\nprocesses = [\"server\"]\n"))
        .collect();
    let text = format!("{GOOD}\n{regions}").replace(", \"mps2-an385\"", "");
    refused(
        &text,
        "`server` needs 9 protection regions; mps2-an386 has 8",
        "\"server\"",
        "they go to: code and RAM 2, peripherals (uart0, timer1) 2, regions (r0, r1, r2, r3, r4) 5.",
    );
    assert!(resolve(&text.replace(", \"timer1\"", "")).is_ok());
}

/// [`GOOD`] whose client has these keys too.
fn with_spare(keys: &str) -> String {
    with("stack = \"1KiB\"\n", &format!("stack = \"1KiB\"\n{keys}\n"))
}

#[test]
fn spare_threads_come_last_each_with_its_stack_and_without_an_entry() {
    let text = with_spare("threads_spare = 2\nspare_stack = 512\npriority_limit = 12");
    let app = resolve(&text).expect("right");
    let client = &app.processes[0];
    let spare: Vec<_> = client.threads.iter().map(|thread| thread.spare).collect();
    assert_eq!(spare, [false, false, true, true]);
    let stacks = client.threads.iter().map(|thread| thread.stack.value);
    assert_eq!(stacks.collect::<Vec<_>>(), [1024, 512, 512, 512]);
    assert_eq!(client.threads[2].symbol(), None);
    assert_eq!(
        (client.priority_limit, client.spare_stack()),
        (Some(12), 512)
    );
}

#[test]
fn wrong_numbers_of_spare_threads_are_refused() {
    refused(
        &with_spare("threads_spare = 65"),
        "number of spare threads 65 is out of range",
        "65",
        "from 0 to 64",
    );
    refused(
        &with_spare("threads_spare = 1\nspare_stack = 128"),
        "a stack of 128 bytes is too small",
        "128",
        "at least 256",
    );
    refused(
        &with_spare("priority_limit = 32"),
        "priority limit 32 is out of range",
        "32",
        "from 1 to 31",
    );
}

#[test]
fn a_stack_for_spare_threads_that_are_not_there_is_a_warning() {
    let app = resolve(&with_spare("spare_stack = 512")).expect("right");
    let mut said = app.warnings.iter().map(ToString::to_string);
    assert!(said.any(|warning| warning == "`client` has no spare threads"));
}

#[test]
fn a_thread_can_be_adaptive() {
    let text = with("policy = \"round-robin\"", "policy = \"adaptive\"");
    let app = resolve(&text).expect("right");
    assert_eq!(
        app.processes[0].threads[0].policy,
        riposte_host::plan::Policy::Adaptive
    );
}

/// Workers of their own channels, who share a region and are let in by one client of all.
const COPIES: &str = r#"[application]
name = "copies"
boards = ["mps2-an386"]

[[process]]
name = "client"
program = "demo-client"
priority = 10
stack = "1KiB"

[[process]]
name = "worker"
copies = 3
program = "demo-worker"
priority = 9
stack = "512B"
restart_with = ["worker"]

[[channel]]
name = "work"
owner = "worker"

[[channel]]
name = "lane"
owner = "client"
copies = 2

[[region]]
name = "pool"
size = "1KiB"
processes = ["client", { process = "worker", access = "read" }]

[[connection]]
from = "client"
to = "work"
name = "job"

[[connection]]
from = "worker"
to = "lane"
"#;

#[test]
fn what_has_copies_is_there_as_often_and_who_names_it_means_each() {
    let app = resolve(&COPIES.replace("restart_with = [\"worker\"]\n", "")).expect("right");
    let names = |it: &mut dyn Iterator<Item = &str>| it.collect::<Vec<_>>().join(" ");
    assert_eq!(
        names(&mut app.processes.iter().map(|it| it.name.value.as_str())),
        "client worker-1 worker-2 worker-3"
    );
    let channels = app
        .channels
        .iter()
        .map(|it| (it.name.value.as_str(), it.owner));
    assert_eq!(
        channels.collect::<Vec<_>>(),
        [
            ("work-1", 1),
            ("work-2", 2),
            ("work-3", 3),
            ("lane-1", 0),
            ("lane-2", 0)
        ]
    );
    let connections = |index: usize| {
        let connections = &app.processes[index].connections;
        let both = connections.iter().map(|it| (it.name.clone(), it.goal));
        both.collect::<Vec<_>>()
    };
    assert_eq!(
        connections(0),
        [
            ("job-1".into(), to_channel(0, 1)),
            ("job-2".into(), to_channel(1, 1)),
            ("job-3".into(), to_channel(2, 1)),
        ]
    );
    assert_eq!(
        connections(3),
        [
            ("lane-1".into(), to_channel(3, 3)),
            ("lane-2".into(), to_channel(4, 3)),
        ]
    );
    let writable = |index: usize| app.processes[index].regions[0].writable;
    assert!(writable(0) && !writable(1) && !writable(3));
}

#[test]
fn a_copy_that_restarts_with_the_others_is_a_cycle() {
    let said = refusals(COPIES);
    assert!(
        said.iter().any(|it| it.to_string().contains("restart")),
        "{said:#?}"
    );
}

#[test]
fn wrong_numbers_of_copies_are_refused() {
    let right = COPIES.replace("restart_with = [\"worker\"]\n", "");
    refused(
        &right.replace("copies = 3", "copies = 1"),
        "copies 1 is out of range",
        "1",
        "from 2 to 254",
    );
    refused(
        &right.replace("owner = \"worker\"", "owner = \"worker\"\ncopies = 4"),
        "`work` has 3 owners already",
        "4",
        "leave `copies` out",
    );
}

#[test]
fn more_channels_than_the_kernel_can_number_are_refused() {
    let right = COPIES.replace("restart_with = [\"worker\"]\n", "");
    let said = refusals(&right.replace("copies = 2", "copies = 254"));
    assert_eq!(said[0].to_string(), "there are more than 256 channels");
}

/// What somebody who builds the logger gets wrong, and what that is answered with: the mistake, the place, the next
/// step. What has a mistake for the first time costs no minute.
#[test]
fn each_mistake_in_the_loggers_manifest_is_answered_with_the_next_step() {
    let right = std::fs::read_to_string("../examples/logger/app.toml").expect("there");
    let right = right.replace("\"./", "\"../examples/logger/");
    for (from, to, message, underlined, help) in [
        (
            "priority = 12\n",
            "priority =\n",
            "the key `priority` has no value",
            "priority",
            "write one behind the `=`",
        ),
        (
            "priority = 12\n",
            "",
            "the key `priority` is missing",
            "[[process]]",
            "add a line `priority = …`",
        ),
        (
            "priority = 12\n",
            "priority = 32\n",
            "priority 32 is out of range",
            "32",
            "write a number from 1 to 31",
        ),
        (
            "priority = 12\n",
            "priority = \"high\"\n",
            "a whole number is wanted here, and this is string \"high\"",
            "\"high\"",
            "write digits alone",
        ),
        (
            "stack = \"3KiB\"",
            "stack = \"3KB\"",
            "this is not a size",
            "\"3KB\"",
            "KiB or MiB",
        ),
        (
            "stack = \"3KiB\"",
            "stack = 100",
            "a stack of 100 bytes is too small",
            "100",
            "write at least 256",
        ),
        (
            "restart_delay = \"100ms\"",
            "restart_delay = 100",
            "text is wanted here, and this is integer `100`",
            "100",
            "a time has a unit, too: \"100ms\"",
        ),
        (
            "on_limit = \"reset\"",
            "on_limit = \"reboot\"",
            "`reboot` is not possible here",
            "\"reboot\"",
            "did you mean `reset`?",
        ),
        (
            "controls = [\"sensor\", \"store\"]",
            "controls = \"sensor\"",
            "a list is wanted here, and this is string \"sensor\"",
            "\"sensor\"",
            "write it between brackets",
        ),
        (
            "controls = [\"sensor\", \"store\"]",
            "controls = [\"sensor\", \"storage\"]",
            "`watchdog` cannot control it: there is no process `storage`",
            "\"storage\"",
            "did you mean `store`?",
        ),
        (
            "to = \"store\"",
            "to = \"stroe\"",
            "`sensor` cannot send to it: there is no channel `stroe`",
            "\"stroe\"",
            "did you mean `store`?",
        ),
        (
            "from = \"shell\"\nto = \"store\"",
            "from = \"shel\"\nto = \"store\"",
            "the right to send to `store` has no owner: there is no process `shel`",
            "\"shel\"",
            "did you mean `shell`?",
        ),
        (
            "rights = [\"send\", \"notify\"]",
            "notify = true",
            "unknown key `notify`",
            "notify",
            "the keys are: from, to, name, badge, rights",
        ),
        (
            "peripherals = [\"uart0\"]",
            "peripherals = [\"uart1\"]",
            "board mps2-an386 has no peripheral `uart1`",
            "\"uart1\"",
            "did you mean `uart0`?",
        ),
        (
            "[board.mps2-an386.process.watchdog]",
            "[board.mps2-an386.process.wachdog]",
            "there is no process `wachdog` that could differ",
            "wachdog",
            "did you mean `watchdog`?",
        ),
        (
            "settings = { period-ms = 100 }",
            "settings = { period-ms = \"100\" }",
            "a whole number is wanted here, and this is string \"100\"",
            "\"100\"",
            "write digits alone",
        ),
        (
            "channel = \"faults\"",
            "channel = \"fault\"",
            "faults cannot be told: there is no channel `fault`",
            "\"fault\"",
            "did you mean `faults`?",
        ),
        (
            "name = \"logger\"",
            "name = \"Logger\"",
            "`Logger` is not a name",
            "\"Logger\"",
            "write `logger`",
        ),
    ] {
        assert!(right.contains(from), "the logger has no {from}");
        refused(&right.replacen(from, to, 1), message, underlined, help);
    }
}

/// A names server, somebody who registers, and somebody who finds; `extra` stands in the latter's table.
fn with_names(extra: &str) -> String {
    format!(
        r#"
[application]
name = "named"
boards = ["mps2-an386"]

[names]
channel = "names"

[[process]]
name = "keeper"
program = "names"
priority = 14
stack = "2KiB"

[[process]]
name = "shop"
program = "shop"
priority = 10
stack = "1KiB"
registers = ["/dev/*", "/ram"]

[[process]]
name = "guest"
program = "guest"
priority = 8
stack = "1KiB"
{extra}

[[channel]]
name = "names"
owner = "keeper"
notify = ["client-died", "unblock"]

[[channel]]
name = "front"
owner = "shop"
client_names = true

[[channel]]
name = "back"
owner = "shop"
"#
    )
}

#[test]
fn names_connect_everybody_with_their_server_and_it_with_all_that_can_be_registered() {
    let app = resolve(&with_names("finds = [\"/dev/console\"]")).expect("right");
    assert!(app.warnings.is_empty(), "{:?}", app.warnings);
    assert_eq!(app.names, Some(0));
    let [keeper, shop, guest] = &app.processes[..] else {
        panic!("three processes");
    };
    for (process, badge) in [(shop, 1), (guest, 2)] {
        let [names] = &process.connections[..] else {
            panic!("one connection");
        };
        assert_eq!(
            (names.name.as_str(), names.goal),
            ("names", to_channel(0, badge))
        );
        assert!(!names.transfer && !names.for_names);
    }
    let own = riposte_abi::process_badge(0);
    let goals: Vec<Goal> = keeper.connections.iter().map(|it| it.goal).collect();
    assert_eq!(goals, [to_channel(1, own), to_channel(2, own)]);
    for given in &keeper.connections {
        assert!(given.transfer && given.own_badge && given.notify && given.for_names);
        assert_eq!(app.handed(keeper, given).collect::<Vec<_>>(), [2]);
    }
    // A connection, and what it may find.
    assert_eq!(app.kernel.handles, 4);
}

#[test]
fn who_may_find_nothing_of_a_process_is_never_handed_its_channels() {
    let app = resolve(&with_names("finds = [\"/elsewhere\"]")).expect("right");
    let [warning] = &app.warnings[..] else {
        panic!("{:?}", app.warnings);
    };
    assert_eq!(
        warning.to_string(),
        "nobody may register what `guest` finds as `/elsewhere`"
    );
    assert!(
        warning.next_step().contains("/dev/*, /ram"),
        "{}",
        warning.next_step()
    );
    let keeper = &app.processes[0];
    assert_eq!(app.handed(keeper, &keeper.connections[0]).count(), 0);
}

#[test]
fn names_that_nobody_keeps_are_refused() {
    let text = with_names("finds = [\"/ram\"]");
    let without = text.replacen("[names]\nchannel = \"names\"", "", 1);
    let found = refusals(&without);
    let messages: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert_eq!(
        messages,
        [
            "`shop` has names, but nobody keeps them",
            "`guest` has names, but nobody keeps them"
        ]
    );
    assert_eq!(found[0].underlined(), "\"/dev/*\"");
    assert!(found[0].next_step().contains("add [names]"));
}

#[test]
fn a_names_server_must_hear_of_ends_and_has_no_names_itself() {
    let text = with_names("finds = [\"/ram\"]");
    refused(
        &text.replacen(
            "notify = [\"client-died\", \"unblock\"]",
            "notify = [\"unblock\"]",
            1,
        ),
        "the names server's channel `names` does not learn of its clients' ends",
        "\"names\"",
        "add notify = [\"client-died\", \"unblock\"] to channel `names`",
    );
    refused(
        &text.replacen(
            "program = \"names\"",
            "program = \"names\"\nfinds = [\"/ram\"]",
            1,
        ),
        "`keeper` is the names server, and would wait for itself",
        "\"/ram\"",
        "others register and find names",
    );
    refused(
        &text.replacen("channel = \"names\"", "channel = \"name\"", 1),
        "no names can be registered: there is no channel `name`",
        "\"name\"",
        "did you mean `names`?",
    );
}

#[test]
fn patterns_of_names_are_checked() {
    for (pattern, help) in [
        ("dev/console", "write \"/dev/console\""),
        ("/dev/", "write \"/dev\""),
        ("/dev*", "\"/dev/*\" for all below /dev"),
        ("/", "a pattern is a path"),
        ("/a-name-of-more-than-thirty-two-bytes", "at most 32 bytes"),
    ] {
        refused(
            &with_names(&format!("finds = [\"{pattern}\"]")),
            &format!("`{pattern}` is no pattern of names"),
            &format!("\"{pattern}\""),
            help,
        );
    }
    refused(
        &with_names("registers = [\"/dev/x\"]"),
        "`guest` has no channel to register",
        "\"/dev/x\"",
        "add a [[channel]] with owner = \"guest\"",
    );
}

/// What would make a server give up when it starts.
#[test]
fn what_the_names_server_has_no_room_for_is_refused() {
    let all = |count: usize| {
        let names = (0..count).map(|it| format!("\"/{it}\""));
        names.collect::<Vec<_>>().join(", ")
    };
    let text = with_names("finds = [\"/ram\"]");
    let channels = |count| {
        let copies = "name = \"many\"\nowner = \"shop\"\ncopies";
        format!("{text}\n[[channel]]\n{copies} = {count}\n")
    };
    assert!(resolve(&channels(62)).is_ok());
    refused(
        &channels(63),
        "there are 65 channels of processes with `registers`",
        "\"many\"",
        "the names server has room for 64 together",
    );
    let clients = |count| {
        let process = "name = \"more\"\nprogram = \"guest\"\npriority = 8\nstack = \"1KiB\"";
        format!("{text}\n[[process]]\n{process}\nfinds = [\"/dev/*\"]\ncopies = {count}\n")
    };
    assert!(resolve(&clients(30)).is_ok());
    refused(
        &clients(31),
        "there are 33 processes with names",
        "\"/dev/*\"",
        "the names server has room for 32 together",
    );
    let patterns = |count| with_names(&format!("finds = [{}]", all(count)));
    assert!(resolve(&patterns(126)).is_ok());
    refused(
        &patterns(127),
        "there are 129 patterns of `registers` and `finds`",
        "\"/126\"",
        "the names server has room for 128 together",
    );
}

#[test]
fn what_the_process_manager_has_no_room_for_is_refused() {
    assert!(resolve(&with_programs("instances = 31")).is_ok());
    refused(
        &with_programs("instances = 32"),
        "there are 33 instances of programs",
        "\"upper\"",
        "the process manager has room for 32 together",
    );
    let patterns = |count| {
        let patterns = vec!["\"count\""; count].join(", ");
        with_programs("").replacen("\"co*\"", &patterns, 1)
    };
    assert!(resolve(&patterns(64)).is_ok());
    refused(
        &patterns(65),
        "there are 65 patterns of `spawns`",
        "\"count\"",
        "the process manager has room for 64 together",
    );
    let parents = |count| {
        let process = "name = \"more\"\nprogram = \"guest\"\npriority = 8\nstack = \"1KiB\"";
        let text = with_programs("");
        format!("{text}\n[[process]]\n{process}\nspawns = [\"upper\"]\ncopies = {count}\n")
    };
    assert!(resolve(&parents(31)).is_ok());
    refused(
        &parents(32),
        "there are 33 processes with `spawns`",
        "\"upper\"",
        "the process manager has room for 32 together",
    );
}

#[test]
fn badges_of_those_who_are_handed_a_connection_are_nobody_elses() {
    for (badge, shown) in [("0x7FFF_FF00", "0x7fffff00"), ("0x7FFF_FFFF", "0x7fffffff")] {
        refused(
            &with("badge = 7", &format!("badge = {badge}")),
            &format!("badge {shown} is that of a process"),
            badge,
            "write one below 0x7fffff00, or from 0x80000000 on",
        );
    }
    for badge in ["0x7FFF_FEFF", "0x8000_0000"] {
        assert!(resolve(&with("badge = 7", &format!("badge = {badge}"))).is_ok());
    }
    let rights = "badge = 7\nrights = [\"send\", \"transfer\"]";
    refused(
        &with(rights, "rights = [\"send\", \"own-badge\"]"),
        "`client` hands this connection to nobody",
        "\"echo\"",
        "add the right \"transfer\"",
    );
    refused(
        &with(rights, "badge = 7\nrights = [\"transfer\", \"own-badge\"]"),
        "a connection with the right \"own-badge\" has the badge of its process",
        "7",
        "leave `badge` out",
    );
    let app = resolve(&with(rights, "rights = [\"transfer\", \"own-badge\"]")).expect("right");
    let own = &app.processes[0].connections[0];
    assert_eq!(own.goal, to_channel(0, riposte_abi::process_badge(0)));
    assert!(own.own_badge && own.transfer);
}

/// A process manager, somebody who spawns, and a program; `extra` stands in the program's table.
fn with_programs(extra: &str) -> String {
    format!(
        r#"
[application]
name = "managed"
boards = ["mps2-an386"]

[programs]
channel = "process"

[[program]]
name = "count"
program = "shop"
priority = 6
stack = "1KiB"
{extra}

[[program]]
name = "upper"
program = "shop"
priority = 6
stack = "1KiB"
signal_queue = 0

[[process]]
name = "manager"
program = "names"
priority = 14
stack = "2KiB"
grants = ["supervisor", "inspect"]

[[process]]
name = "parent"
program = "guest"
priority = 8
stack = "1KiB"
spawns = ["co*"]
children = 3

[[channel]]
name = "process"
owner = "manager"
notify = ["client-died", "unblock"]
"#
    )
}

#[test]
fn programs_are_processes_that_their_manager_controls_and_that_are_connected_with_it() {
    let app = resolve(&with_programs("instances = 2")).expect("right");
    assert!(app.warnings.is_empty(), "{:?}", app.warnings);
    assert_eq!(app.manager, Some(0));
    let names: Vec<&str> = app
        .processes
        .iter()
        .map(|it| it.name.value.as_str())
        .collect();
    assert_eq!(
        names,
        ["manager", "parent", "count-1", "count-2", "upper-1"]
    );
    let programs: Vec<Option<&str>> = app
        .processes
        .iter()
        .map(|it| it.instance_of.as_deref())
        .collect();
    assert_eq!(
        programs,
        [None, None, Some("count"), Some("count"), Some("upper")]
    );
    let manager = &app.processes[0];
    assert_eq!(manager.restart.controls, [2, 3, 4]);
    assert_eq!(manager.signals.targets, [4], "those that take signals");
    assert!(manager.connections.is_empty());
    for (index, process) in app.processes.iter().enumerate().skip(1) {
        let [connection] = &process.connections[..] else {
            panic!("one connection");
        };
        let badge = riposte_abi::process_badge(index as u8);
        assert_eq!(
            (connection.name.as_str(), connection.goal),
            ("process", to_channel(0, badge))
        );
        assert!(!connection.transfer && !connection.notify);
    }
    assert_eq!(app.processes[1].children, 3);
    assert_eq!(
        riposte_host::size::programs(&app.processes),
        "program `count`: 2 at once\nprogram `upper`: 1 at once\nchildren of `parent`: 3 at once, of co*\n"
    );
}

#[test]
fn what_other_tables_say_of_a_program_is_said_of_each_instance() {
    let text = with_programs("instances = 2");
    let channel = "\n[[channel]]\nname = \"front\"\nowner = \"parent\"\n[[connection]]\nfrom = \"count\"\nto = \"front\"\n";
    let app = resolve(&(text + channel)).expect("right");
    for index in [2, 3] {
        let goals: Vec<_> = app.processes[index]
            .connections
            .iter()
            .map(|it| it.channel())
            .collect();
        assert_eq!(goals, [Some(1), Some(0)], "instance {index}");
    }
}

#[test]
fn programs_that_nobody_starts_are_refused() {
    let text = with_programs("");
    let without = text.replacen("[programs]\nchannel = \"process\"", "", 1);
    refused(
        &without,
        "there are programs, but nobody who starts them",
        "\"count\"",
        "add [programs]",
    );
}

#[test]
fn a_process_manager_must_hear_of_ends_and_spawns_nothing_itself() {
    let text = with_programs("");
    refused(
        &text.replacen(
            "notify = [\"client-died\", \"unblock\"]",
            "notify = [\"unblock\"]",
            1,
        ),
        "the process manager's channel `process` does not learn of its clients' ends",
        "\"process\"",
        "add notify = [\"client-died\", \"unblock\"] to channel `process`",
    );
    refused(
        &text.replacen(
            "grants = [\"supervisor\", \"inspect\"]",
            "grants = [\"inspect\"]",
            1,
        ),
        "the process manager `manager` does not learn how programs end",
        "\"process\"",
        "add grants = [\"supervisor\", \"inspect\"] to process `manager`",
    );
    refused(
        &text.replacen(
            "grants = [\"sup",
            "spawns = [\"upper\"]\ngrants = [\"sup",
            1,
        ),
        "`manager` is the process manager, and would wait for itself",
        "\"upper\"",
        "others spawn programs",
    );
    refused(
        &text
            .replacen("owner = \"manager\"", "owner = \"upper\"", 1)
            .replacen("channel = \"process\"", "channel = \"process-1\"", 1),
        "`upper-1` is a program, and cannot be the process manager",
        "\"process-1\"",
        "make it a [[process]]",
    );
    refused(
        &text.replacen(
            "[programs]\nchannel = \"process\"",
            "[programs]\nchannel = \"proces\"",
            1,
        ),
        "nobody can start programs: there is no channel `proces`",
        "\"proces\"",
        "did you mean `process`?",
    );
}

#[test]
fn a_program_is_not_restarted_and_its_manager_alone_controls_it() {
    for (key, value, underlined) in [
        ("copies", "2", "2"),
        ("restart_limit", "2", "2"),
        ("restart_delay", "\"1ms\"", "\"1ms\""),
        ("restart_window", "\"1s\"", "\"1s\""),
        ("on_limit", "\"stop\"", "\"stop\""),
        ("restart_with", "[\"manager\"]", "\"manager\""),
        ("on_fault", "\"restart\"", "\"count\""),
        ("on_exit", "\"restart\"", "\"count\""),
    ] {
        refused(
            &with_programs(&format!("{key} = {value}")),
            &format!("`count` is a program, and has no `{key}`"),
            underlined,
            if key == "copies" {
                "write `instances`"
            } else {
                "leave it out"
            },
        );
    }
    for (count, message) in [("0", "0 is out of range"), ("33", "33 is out of range")] {
        refused(
            &with_programs(&format!("instances = {count}")),
            &format!("number of instances {message}"),
            count,
            "write a number from 1 to 32",
        );
    }
    let text = with_programs("");
    refused(
        &text.replacen("children = 3", "children = 3\ncontrols = [\"upper\"]", 1),
        "`upper` is a program: its manager alone controls it",
        "\"upper\"",
        "with spawns = [\"upper\"], `parent` spawns it and ends it",
    );
    refused(
        &text.replacen("children = 3", "children = 3\ninstances = 2", 1),
        "`parent` is no program",
        "2",
        "make it a [[program]]",
    );
}

#[test]
fn who_spawns_what_is_checked() {
    let text = with_programs("");
    refused(
        &text.replacen("[\"co*\"]", "[\"cuont\"]", 1),
        "there is no program `cuont` to spawn",
        "\"cuont\"",
        "count",
    );
    refused(
        &text.replacen("spawns = [\"co*\"]\n", "", 1),
        "`parent` spawns nothing",
        "3",
        "or leave `children` out",
    );
    for count in ["0", "65"] {
        refused(
            &text.replacen("children = 3", &format!("children = {count}"), 1),
            &format!("number of children {count} is out of range"),
            count,
            "write a number from 1 to 64",
        );
    }
}

#[test]
fn a_connection_that_follows_from_another_table_is_not_hidden_by_one_of_its_name() {
    let channel = "\n[[channel]]\nname = \"front\"\nowner = \"manager\"\n";
    let hides = |name: &str| {
        format!("{channel}[[connection]]\nfrom = \"parent\"\nto = \"front\"\nname = \"{name}\"\n")
    };
    let text = with_programs("");
    refused(
        &(text.clone() + &hides("process")),
        "`parent` has two connections called `process`",
        "\"front\"",
        "`parent` has that one to the process manager",
    );
    let finds = text.replacen("children = 3", "children = 3\nfinds = [\"/a\"]", 1)
        + "[names]\nchannel = \"names\"\n[[channel]]\nname = \"names\"\nowner = \"manager\"\nnotify = [\"client-died\", \"unblock\"]\n";
    refused(
        &(finds + &hides("names")),
        "`parent` has two connections called `names`",
        "\"front\"",
        "`parent` has that one to the names server",
    );
}

#[test]
fn for_a_program_that_is_not_there_nobody_looks_below_what_is_beside_it() {
    let folder = tempfile::tempdir().expect("a folder");
    for file in ["app/app.toml", "seen/main.c", "all-off/a/disk/main.c"] {
        let file = folder.path().join(file);
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
        std::fs::write(file, "").expect("written");
    }
    let source = Source {
        path: "app.toml".into(),
        text: with("\"demo-client\"", "\"../all-of\"").into(),
    };
    let report = manifest::resolve(source, folder.path().join("app"), &boards());
    let report = report.expect_err("it is not there");
    let help = Refusals::all(&report)[0].next_step();
    assert!(help.contains("C sources"), "{help}");
    let source = Source {
        path: "app.toml".into(),
        text: with("\"demo-client\"", "\"../sen\"").into(),
    };
    let report = manifest::resolve(source, folder.path().join("app"), &boards());
    let report = report.expect_err("it is not there");
    let help = Refusals::all(&report)[0].next_step();
    assert!(help.contains("`../seen`"), "{help}");
}

#[test]
fn a_written_connection_by_which_somebody_is_known_is_the_one_by_which_it_asks() {
    let written = |from: &str, to: &str, more: &str| {
        format!("\n[[connection]]\nfrom = \"{from}\"\nto = \"{to}\"\n{more}")
    };
    let other = "name = \"other\"\n";
    let text = with_names("finds = [\"/ram\"]");
    refused(
        &(text.clone() + &written("guest", "names", other)),
        "`guest` asks the names server by `names`, and is known to it by `other`",
        "\"names\"",
        "write `name = \"names\"`",
    );
    // The first one is.
    let both = written("guest", "names", "badge = 7\n") + &written("guest", "names", other);
    resolve(&(text + &both)).expect("right");
    let rights = "rights = [\"transfer\", \"own-badge\"]\n";
    refused(
        &(with_programs("") + &written("parent", "process", &(other.to_owned() + rights))),
        "`parent` asks the process manager by `process`, and is known to it by `other`",
        "\"process\"",
        "leave this connection out",
    );
}

#[test]
fn the_process_manager_knows_everybody_who_asks_it() {
    let text = with_programs("");
    for (from, owner) in [
        ("parent", "parent"),
        ("count", "count-1"),
        ("manager", "manager"),
    ] {
        let connection = format!("\n[[connection]]\nfrom = \"{from}\"\nto = \"process\"\n");
        refused(
            &(text.clone() + &connection),
            &format!("the process manager would not know `{owner}` by this badge"),
            "\"process\"",
            "leave the connection out",
        );
    }
    let handed = "\n[[connection]]\nfrom = \"parent\"\nto = \"process\"\nrights = [\"transfer\", \"own-badge\"]\n";
    let app = resolve(&(text + handed)).expect("right");
    assert_eq!(
        app.processes[1].connections.len(),
        1,
        "it has the badge of its process"
    );
}

#[test]
fn a_program_is_nobody_whom_others_need_from_the_start() {
    let channel = "\n[[channel]]\nname = \"front\"\nowner = \"count\"\nnotify = [\"client-died\", \"unblock\"]\n[[connection]]\nfrom = \"parent\"\nto = \"front\"\n";
    let text = with_programs("grants = [\"supervisor\"]") + channel;
    for (table, what) in [
        ("supervisor", "the supervisor"),
        ("names", "the names server"),
    ] {
        refused(
            &format!("{text}\n[{table}]\nchannel = \"front-1\"\n"),
            &format!("`count-1` is a program, and cannot be {what}"),
            "\"front-1\"",
            "make it a [[process]]",
        );
    }
}

#[test]
fn a_program_has_a_name_that_can_be_told_whole() {
    let named = |length: usize| {
        let name = "c".repeat(length);
        let text = with_programs("").replacen("[\"co*\"]", "[\"c*\"]", 1);
        text.replacen("name = \"count\"", &format!("name = \"{name}\""), 1)
    };
    resolve(&named(32)).expect("right");
    refused(
        &named(33),
        "the name of a program has 33 bytes",
        &format!("\"{}\"", "c".repeat(33)),
        "leave it 32 at most",
    );
}
