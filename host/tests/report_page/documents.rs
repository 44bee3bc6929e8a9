//! Result files that have a figure of every kind that the page knows.

use riposte_host::compare;
use riposte_host::lab::Lab;
use serde_json::{Value, json};

/// A cost between processes.
pub fn entry(suite: &str, case: &str, board: &str, value: u32) -> Value {
    let (metric, memory) = match board {
        "ibex" => ("cycles", "; RAM latency 2,1,2, two ports"),
        "vexriscv" => (
            "cycles",
            "; slow SRAM: RAM latency 8,5,7, one port, second-level cache of 128 KiB",
        ),
        _ => ("instructions", ""),
    };
    json!({
        "suite": suite, "case": case, "board": board, "metric": metric, "value": value, "min": null, "max": null,
        "per": "operation", "bytes": null, "iterations": 100, "protected": true,
        "config": format!("protection on{memory}"), "method": "loop subtracted",
    })
}

/// A figure of every kind that the page knows.
pub fn document() -> Value {
    let mut results = vec![
        entry("rexis", "send-reply-32B", "ibex", 604),
        entry("thread-metric", "basic", "ibex", 7),
        entry("thread-metric", "preemptive", "ibex", 693),
        entry("xous", "scalar", "vexriscv", 504),
        entry("core", "floor", "ibex", 158),
        entry("core", "rt-0w", "ibex", 228),
        entry("core", "floor", "mps2-an386", 71),
        entry("core", "rt-1w", "mps2-an386", 121),
        entry("core", "longest: clock, <b>always</b>", "virt-rv32", 77),
    ];
    for (bytes, value) in [(16, 300), (32, 458), (480, 905), (4096, 5000)] {
        results.push(entry("core", &format!("rt-{bytes}B"), "ibex", value));
    }
    for (number, value) in [(2, 119), (64, 120), (256, 121)] {
        results.push(entry(
            "core",
            &format!("rt-1w@{number}-threads"),
            "virt-rv32",
            value,
        ));
    }
    for (bytes, value) in [(1, 131), (32, 133), (1024, 700), (4096, 2500)] {
        results.push(entry("qnx", &format!("messages-{bytes}B"), "ibex", value));
    }
    let mut within = entry("chibios", "semaphore", "ibex", 265);
    within["protected"] = json!(false);
    let mut size = entry("core", "rt-0w", "ibex", 33_350);
    size["metric"] = json!("bytes");
    size["method"] = json!("code of the kernel in the image that was measured");
    let mut quoted = entry("system", "a \"quoted\" name, with a comma", "mps2-an386", 7);
    quoted["value"] = json!(7.25);
    results.extend([within, size, quoted]);
    json!({
        "schema": 1, "commit": "c0ffee", "date": "2026-01-01T00:00:00Z",
        "tools": { "rustc": "1 </script><b>" }, "results": results, "checks": checks(),
    })
}

/// What tests have counted, one stage of which failed.
pub fn checks() -> Value {
    let stage = |name: &str, commit: &str, counted: Value| {
        json!({
            "stage": name, "commit": commit, "date": "2026-01-02T00:00:00Z", "depth": "normal", "passed": 2, "failed": 0,
            "counted": counted,
        })
    };
    let explored = json!([
        { "name": "host tests: chain", "failed": false,
          "counts": { "states": 60_123, "transitions": 100_000, "depth": 40, "complete": 1 } },
        { "name": "host tests: pool", "failed": false,
          "counts": { "states": 40_000, "transitions": 50_000, "depth": 8, "complete": 0 } },
    ]);
    let played = json!([
        { "name": "fuzzer on mps2-an386", "failed": false, "counts": { "calls": 52_345, "rounds": 400 } },
    ]);
    let mut fuzzer = stage("fuzzer", "decade", played);
    fuzzer["failed"] = json!(1);
    json!([stage("host tests", "c0ffee", explored), fuzzer])
}

/// Where the cycles of a call went.
pub fn breakdowns() -> Value {
    json!([{
        "schema": 1, "suite": "xous", "case": "scalar", "board": "vexriscv", "memory": null, "calls": [],
        "typical": { "number": 1, "cycles": 300, "stretches": [
            { "at": 0, "cycles": 120, "who": "client, user", "privilege": "user", "satp": 0x8040_0001_u32,
              "from": null, "to": { "function": "send" } },
            { "at": 120, "cycles": 60, "who": "kernel", "privilege": "machine", "satp": 0x8040_0001_u32,
              "from": null, "to": null },
            { "at": 180, "cycles": 120, "who": "server, user", "privilege": "user", "satp": 0x8080_0002_u32,
              "from": null, "to": null },
        ], "reports": [ { "at": 0, "word": 0x1111_0001_u32 }, { "at": 300, "word": 0x2222_0001_u32 } ] },
    }])
}

/// Transfers between two nodes.
pub fn transfers() -> Value {
    let transfer = |case: &str, bytes: u32, one: f64, other: f64| {
        let on_ethernet = f64::from(bytes) + 84.0;
        let time = |rate: f64| (one + other) / 66.0 + on_ethernet * 8.0 / rate;
        json!({
            "suite": "qnx", "case": format!("network-{case}"), "board": "virt-rv32", "bytes": bytes,
            "instructions": [one, other], "frames": 1.25, "bytes_on_ethernet": on_ethernet, "model_megahertz": 66.0,
            "model_microseconds_10_megabits": time(10.0), "model_microseconds_100_megabits": time(100.0),
        })
    };
    json!([
        transfer("messages", 1, 29_575.5, 32_209.0),
        transfer("messages", 32, 31_336.0, 34_443.0),
        transfer("messages", 1024, 111_824.0, 110_184.0),
        transfer("datagrams", 1, 18_536.0, 18_082.0),
        transfer("datagrams", 32, 18_972.0, 18_314.0),
        transfer("datagrams", 1024, 24_000.0, 25_000.0),
    ])
}

/// All exact figures that the guard keeps, as a result file.
pub fn everything() -> Value {
    let kept = compare::kept(&Lab::open().unwrap()).unwrap();
    let results = kept.iter().map(|(key, value)| {
        let mut it = entry(&key.suite, &key.case, &key.board, 0);
        it["metric"] = json!(key.metric);
        it["value"] = json!(value);
        it["protected"] = json!(key.protected);
        it
    });
    let results: Vec<Value> = results.collect();
    json!({
        "schema": 1, "commit": "c0ffee", "date": "2026-01-01T00:00:00Z",
        "tools": { "rustc": "1" }, "results": results, "checks": [],
    })
}
