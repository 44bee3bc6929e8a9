//! From the manifest as it is written to the application.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::application::{Application, Channel, Kernel, Network, OnBoard, Process, Proxy};
use super::check::{Check, Names};
use super::process::{Surroundings, process};
use super::written::{Manifest, NetworkTable};
use super::{
    board_tables, channel, copies, fit, lending, limits, naming, pool, program, proxy, region,
    restart, room, signals,
};
use crate::board::Board;
use crate::document;
use crate::source::{At, Refusal, Refusals, Source};

/// Checks the manifest `source` in `directory` against `all_boards`: as it is on each of those that it names.
///
/// # Errors
/// Every mistake in it, at once. What is refused on some of the application's boards only is told when it is
/// asked for there ([`Application::on`]).
pub fn resolve(
    source: Source,
    directory: PathBuf,
    all_boards: &[Board],
) -> miette::Result<Application> {
    let table = document::table(&source)?;
    let manifest: Manifest = document::shaped(&source, table.clone())?;
    let mut check = Check::new(&source);
    let boards = fit::boards(&mut check, &manifest.application.boards, all_boards);
    board_tables::boards(&mut check, &manifest, all_boards);
    let mut on_boards = Vec::new();
    for board in boards {
        let there = board_tables::on(&mut check, &table, &board.name);
        match document::shaped(&source, there) {
            Ok(there) => {
                on_boards.push((board.name.clone(), on(&source, &directory, board, there)))
            }
            Err(refusal) => check.refusals.push(refusal),
        }
    }
    let mut refusals = check.refusals;
    let right = on_boards.iter().find_map(|(_, there)| there.as_ref().ok());
    if let (None, Some((_, Err(first)))) = (right, on_boards.first()) {
        refusals.extend_from_slice(first);
    }
    match right {
        Some(application) if refusals.is_empty() => Ok(Application {
            warnings: warnings(&on_boards),
            on_boards: Arc::from(on_boards.as_slice()),
            ..application.clone()
        }),
        _ => Err(Refusals::report(refusals)),
    }
}

/// What any board's manifest is warned of, once.
fn warnings(on_boards: &[OnBoard]) -> Vec<Refusal> {
    let mut all: Vec<Refusal> = Vec::new();
    for warning in on_boards
        .iter()
        .flat_map(|(_, there)| there.iter())
        .flat_map(|it| &it.warnings)
    {
        let known = |it: &Refusal| it.is_as(warning);
        if !all.iter().any(known) {
            all.push(warning.clone());
        }
    }
    all
}

/// The application as its manifest is on `board`, or all that is wrong with it there.
fn on(
    source: &Source,
    directory: &Path,
    board: &Board,
    manifest: Manifest,
) -> Result<Application, Vec<Refusal>> {
    let mut check = Check::new(source);
    let manifest = copies::written_out(&mut check, manifest);
    check.name(&manifest.application.name);
    let mut kernel = limits::kernel(&mut check, &manifest.kernel);

    let process_names = manifest.process.iter().map(|table| &table.value.name);
    let process_names = Names::collect(&mut check, "process", "processes", process_names);
    let around = Surroundings {
        directory,
        levels: kernel.levels,
        processes: &process_names,
    };
    let tables = &manifest.process;
    let mut processes: Vec<Process> = tables
        .iter()
        .map(|table| process(&mut check, &around, &table.value))
        .collect();
    number_of_threads(&mut check, &manifest, &processes);
    number_of_channels(&mut check, &manifest);
    if check.refusals.is_empty() {
        restart::cycles(&mut check, tables, &processes);
        signals::targets(&mut check, tables, &processes);
        program::left_to_manager(&mut check, tables, &processes);
    }
    let regions = region::regions(&mut check, &manifest.region, &process_names, &mut processes);
    fit::regions(&mut check, board, &regions);
    let pools = pool::pools(&mut check, &manifest.pool, &process_names, &mut processes);
    pool::fit(&mut check, board, &pools, &processes);
    fit::processes(&mut check, board, &processes, &regions);

    let Messages {
        channels,
        proxies,
        supervisor,
        names,
        manager,
    } = messages(
        &mut check,
        &manifest,
        &mut kernel,
        &process_names,
        &mut processes,
    );

    let network = network(&mut check, &manifest.network);
    let Check {
        refusals, warnings, ..
    } = check;
    if !refusals.is_empty() {
        return Err(refusals);
    }
    Ok(Application {
        directory: directory.into(),
        warnings,
        name: manifest.application.name.value,
        description: manifest.application.description.unwrap_or_default(),
        boards: manifest.application.boards.value,
        types: manifest.application.types,
        kernel,
        supervisor,
        names,
        manager,
        network,
        processes,
        channels,
        proxies,
        regions,
        pools,
        source: source.clone(),
        on_boards: Arc::default(),
    })
}

/// The ports of the network that the emulator makes.
fn network(check: &mut Check, table: &NetworkTable) -> Network {
    let mut port = |written: &At<i64>| {
        let port = u16::try_from(written.value).ok().filter(|it| *it > 0);
        if port.is_none() {
            let message = format!("{} is no port", written.value);
            check.refuse(written.span, message, "a port is a number from 1 to 65535");
        }
        port
    };
    Network {
        tcp: table.tcp.iter().filter_map(&mut port).collect(),
        udp: table.udp.iter().filter_map(&mut port).collect(),
        echo: table.echo.as_ref().and_then(&mut port),
    }
}

/// Where messages go.
struct Messages {
    channels: Vec<Channel>,
    proxies: Vec<Proxy>,
    supervisor: Option<usize>,
    names: Option<usize>,
    manager: Option<usize>,
}

/// Channels, proxies, connections and the supervisor's channel, and the handles that follow from them.
fn messages(
    check: &mut Check,
    manifest: &Manifest,
    kernel: &mut Kernel,
    process_names: &Names,
    processes: &mut [Process],
) -> Messages {
    let names = manifest.channel.iter().map(|table| &table.value.name);
    let names = Names::collect(check, "channel", "channels", names);
    let channels = channels(check, manifest, kernel.levels, process_names);
    let proxy_names = proxy::names(check, manifest, &names);
    let proxies = manifest.proxy.iter();
    let proxies: Vec<Proxy> = proxies
        .filter_map(|table| proxy::proxy(check, &names, &table.value))
        .collect();
    let mut connected = channel::connections(
        check,
        &manifest.connection,
        (process_names, &names, &proxy_names),
        &channels,
        processes,
    );
    let supervisor = manifest.supervisor.as_ref();
    let supervisor = supervisor
        .and_then(|table| channel::supervisor(check, table, &names, &channels, processes));
    let keeper = manifest.names.as_ref();
    let keeper =
        keeper.and_then(|table| naming::server(check, table, &names, &channels, processes));
    let manager = manifest.programs.as_ref();
    let manager =
        manager.and_then(|table| program::manager(check, table, &names, &channels, processes));
    program::usable(check, manifest, processes);
    // From here on, indices must mean what they say.
    if check.refusals.is_empty() {
        own_channels(&channels, processes);
        naming::usable(check, manifest.names.is_some(), processes);
    }
    if check.refusals.is_empty() {
        if let Some(keeper) = keeper {
            room::names(check, &channels, processes);
            naming::connect(check, &mut connected, keeper, &channels, processes);
        }
        if let Some(manager) = manager {
            room::manager(check, processes);
            program::connect(check, manager, &channels, processes);
        }
        channel::told_apart(check, &channels, processes);
        lending::reachable(check, processes, &channels);
        proxy::own_proxies(&proxies, &channels, processes);
        kernel.handles = limits::handles(check, &manifest.kernel, processes, &channels);
        channel::unused(check, &channels, processes, supervisor);
        channel::missing(check, manifest, processes);
    }
    Messages {
        channels,
        proxies,
        supervisor,
        names: keeper,
        manager,
    }
}

fn channels(
    check: &mut Check,
    manifest: &Manifest,
    levels: u32,
    processes: &Names,
) -> Vec<Channel> {
    let tables = manifest.channel.iter();
    tables
        .filter_map(|table| channel::channel(check, levels, processes, &table.value))
        .collect()
}

fn own_channels(channels: &[Channel], processes: &mut [Process]) {
    for (index, channel) in channels.iter().enumerate() {
        processes[channel.owner].channels.push(index);
    }
}

fn number_of_threads(check: &mut Check, manifest: &Manifest, processes: &[Process]) {
    if processes.is_empty() {
        let help = "add a [[process]] with name, program, priority and stack";
        check.refuse(
            manifest.application.name.span,
            "the application has no process",
            help,
        );
    }
    let most = riposte_abi::MAX_THREADS - 1;
    let mut threads = 0;
    let one_too_many: Option<&At<String>> = processes.iter().find_map(|process| {
        threads += process.threads.len();
        (threads > most).then_some(&process.name)
    });
    if let Some(process) = one_too_many {
        let message = format!("there are more than {most} threads");
        let help = "a reply token names its thread with eight bits, one of them the idle thread: leave some threads out";
        check.refuse(process.span, message, help);
    }
}

/// The kernel knows channels by numbers of eight bits.
fn number_of_channels(check: &mut Check, manifest: &Manifest) {
    const MOST: usize = 256;
    if let Some(channel) = manifest.channel.get(MOST) {
        let message = format!("there are more than {MOST} channels");
        let help = "let several purposes share a channel: messages say what they are for";
        check.refuse(channel.value.name.span, message, help);
    }
}
