//! From the manifest as it is written to the application.

use std::path::PathBuf;

use super::application::{Application, Channel, Process};
use super::check::{Check, Names};
use super::process::{Surroundings, process};
use super::written::Manifest;
use super::{channel, fit, limits, restart};
use crate::board::Board;
use crate::source::{At, Refusals, Source};

/// Checks the manifest `source` in `directory` against `all_boards`.
///
/// # Errors
/// Every mistake in it, at once.
pub fn resolve(
    source: Source,
    directory: PathBuf,
    all_boards: &[Board],
) -> miette::Result<Application> {
    let manifest: Manifest = crate::document::parse(&source)?;
    let mut check = Check::new(&source);
    check.name(&manifest.application.name);
    let boards = fit::boards(&mut check, &manifest.application.boards, all_boards);
    let mut kernel = limits::kernel(&mut check, &manifest.kernel);

    let process_names = manifest.process.iter().map(|table| &table.value.name);
    let process_names = Names::collect(&mut check, "process", "processes", process_names);
    let around = Surroundings {
        directory: &directory,
        levels: kernel.levels,
        processes: &process_names,
    };
    let tables = &manifest.process;
    let mut processes: Vec<Process> = tables
        .iter()
        .map(|table| process(&mut check, &around, &table.value))
        .collect();
    number_of_threads(&mut check, &manifest, &processes);
    if check.refusals.is_empty() {
        restart::cycles(&mut check, tables, &processes);
    }
    fit::processes(&mut check, &boards, &processes);

    let channel_names = manifest.channel.iter().map(|table| &table.value.name);
    let channel_names = Names::collect(&mut check, "channel", "channels", channel_names);
    let channels = channels(&mut check, &manifest, kernel.levels, &process_names);
    channel::connections(
        &mut check,
        &manifest.connection,
        (&process_names, &channel_names),
        &mut processes,
    );
    let supervisor = manifest.supervisor.as_ref().and_then(|table| {
        channel::supervisor(&mut check, table, &channel_names, &channels, &processes)
    });
    // From here on, indices must mean what they say.
    if check.refusals.is_empty() {
        own_channels(&channels, &mut processes);
        kernel.handles = limits::handles(&mut check, &manifest.kernel, &processes, &channels);
        channel::unused(&mut check, &channels, &processes, supervisor);
    }

    let Check {
        refusals, warnings, ..
    } = check;
    if !refusals.is_empty() {
        return Err(Refusals::report(refusals));
    }
    Ok(Application {
        directory,
        warnings,
        name: manifest.application.name.value,
        description: manifest.application.description.unwrap_or_default(),
        boards: manifest.application.boards.value,
        kernel,
        supervisor,
        processes,
        channels,
        source,
    })
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
    let mut threads = 0;
    let before: Option<&At<String>> = processes.iter().find_map(|process| {
        threads += process.threads.len();
        (threads > riposte_abi::MAX_THREADS).then_some(&process.name)
    });
    if let Some(process) = before {
        let message = format!("there are more than {} threads", riposte_abi::MAX_THREADS);
        let help = "a reply token names its thread with eight bits: leave some threads out";
        check.refuse(process.span, message, help);
    }
}
