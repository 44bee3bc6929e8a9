//! The page of `./riposte report`, in a real browser.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

/// Where browsers of Debian and of others are.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];
/// The rules of accessibility: package on PyPI, version, hash of its wheel, and the file in it.
const AXE: [&str; 4] = [
    "axe-playwright-python",
    "0.1.8",
    "fdd263c998388f1a8e67cad02677e612d946248bd44d163be5e8650ea31f95f8",
    "axe_playwright_python/axe.min.js",
];
/// What the page is asked, in the page itself.
const QUESTIONS: &str = include_str!("report_page/questions.js");

fn entry(suite: &str, case: &str, board: &str, value: u32) -> Value {
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
fn document() -> Value {
    let mut results = vec![
        entry("rexis", "send-reply-32B", "ibex", 604),
        entry("thread-metric", "basic", "ibex", 7),
        entry("thread-metric", "preemptive", "ibex", 693),
        entry("xous", "scalar", "vexriscv", 504),
        entry("core", "floor", "ibex", 158),
        entry("core", "rt-0w", "ibex", 228),
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
    let mut within = entry("chibios", "semaphore", "ibex", 265);
    within["protected"] = json!(false);
    let mut size = entry("core", "rt-0w", "ibex", 33_350);
    size["metric"] = json!("bytes");
    size["method"] = json!("code of the kernel in the image that was measured");
    results.extend([within, size]);
    json!({
        "schema": 1, "commit": "c0ffee", "date": "2026-01-01T00:00:00Z",
        "tools": { "rustc": "1 </script><b>" }, "results": results,
    })
}

fn breakdowns() -> Value {
    json!([{
        "schema": 1, "suite": "xous", "case": "scalar", "board": "vexriscv", "memory": null, "calls": [],
        "typical": { "number": 1, "cycles": 30, "stretches": [
            { "at": 0, "cycles": 12, "who": "client, user", "from": null, "to": null },
            { "at": 12, "cycles": 18, "who": "kernel", "from": null, "to": null },
        ] },
    }])
}

/// Writes the files, makes the page as a person would, and returns what the tool said and where the page is.
fn made(folder: &Path) -> (String, PathBuf) {
    let file = folder.join("r.json");
    std::fs::write(&file, document().to_string()).unwrap();
    std::fs::write(folder.join("r.breakdowns.json"), breakdowns().to_string()).unwrap();
    let mut tool = Command::new(env!("CARGO_BIN_EXE_riposte-host"));
    let output = tool.arg("report").arg(&file).output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let said = String::from_utf8(output.stdout).unwrap();
    (said, folder.join("r.html"))
}

/// The rules of accessibility, fetched once and kept in the target folder.
fn axe() -> String {
    let [package, version, hash, member] = AXE;
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{package}-{version}"));
    let place = folder.join(member);
    if !place.is_file() {
        let wheels = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let wanted = wheels.path().join("wanted.txt");
        std::fs::write(
            &wanted,
            format!("{package}=={version} --hash=sha256:{hash}\n"),
        )
        .unwrap();
        let python = |arguments: &[&str]| {
            let output = Command::new("python3").args(arguments).output();
            let output = output.expect("python3 is missing: apt-get install python3 python3-pip");
            assert!(
                output.status.success(),
                "{}",
                String::from_utf8_lossy(&output.stderr)
            );
        };
        let [wheel_folder, wanted] = [wheels.path(), &wanted].map(|it| it.to_str().unwrap());
        let download = [
            "-m",
            "pip",
            "download",
            "--quiet",
            "--no-deps",
            "--require-hashes",
        ];
        python(&[&download[..], &["--dest", wheel_folder, "-r", wanted]].concat());
        let wheel = std::fs::read_dir(wheels.path()).unwrap().flatten();
        let wheel = wheel
            .map(|it| it.path())
            .find(|it| it.extension().is_some_and(|it| it == "whl"));
        let wheel = wheel.expect("a wheel");
        python(&[
            "-m",
            "zipfile",
            "-e",
            wheel.to_str().unwrap(),
            folder.to_str().unwrap(),
        ]);
    }
    std::fs::read_to_string(place).unwrap()
}

/// A browser without a window, whose profile is in the folder.
fn browser(folder: &Path) -> Command {
    let browser = BROWSERS
        .into_iter()
        .find_map(riposte_host::toolchain::on_path);
    let browser = browser.expect("no browser is here; get one: apt-get install chromium");
    let mut command = Command::new(browser);
    command
        .args(["--headless", "--no-sandbox", "--disable-gpu"])
        .args(["--no-first-run", "--disable-sync", "--disable-quic"])
        .args([
            "--disable-background-networking",
            "--disable-component-update",
        ])
        .arg("--allow-file-access-from-files")
        .arg(format!(
            "--user-data-dir={}",
            folder.join("profile").display()
        ));
    command
}

/// What the page answers, and what the browser's console said.
fn asked(folder: &Path, page: &str, options: &[&str]) -> (Value, Vec<String>) {
    let asking = page.replacen("<body>", &format!("<body><script>{}</script>", early()), 1);
    let late = format!(
        "<script>{}</script><script>{QUESTIONS}</script></body>",
        axe()
    );
    let asking = asking.replacen("</body>", &late, 1);
    let file = folder.join("asking.html");
    std::fs::write(&file, asking).unwrap();
    let output = browser(folder)
        .args(["--enable-logging=stderr", "--window-size=1200,900"])
        .args(["--virtual-time-budget=60000", "--dump-dom"])
        .args(options)
        .arg(format!("file://{}", file.display()))
        .output()
        .expect("the browser runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let answer = text
        .split("<pre id=\"answer\">")
        .nth(1)
        .and_then(|it| it.split("</pre>").next());
    let answer = answer.unwrap_or_else(|| {
        panic!(
            "the page does not answer: {}",
            String::from_utf8_lossy(&output.stderr)
        )
    });
    let answer = answer
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&");
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.lines().filter(|line| line.contains("CONSOLE"));
    (
        serde_json::from_str(&answer).expect("JSON"),
        said.map(str::to_owned).collect(),
    )
}

/// Keeps what goes wrong from the first line on.
fn early() -> &'static str {
    "window.wrong = []; addEventListener('error', (it) => wrong.push(it.message));
    addEventListener('unhandledrejection', (it) => wrong.push(String(it.reason)));"
}

#[test]
fn the_page_shows_every_figure_and_holds_in_a_browser() {
    let folder = tempfile::tempdir().unwrap();
    let (said, file) = made(folder.path());
    assert_eq!(said, format!("report: {}\n", file.display()));
    let page = std::fs::read_to_string(&file).unwrap();
    // It needs nobody else.
    for foreign in ["http:", "https:", "url(", "@import", "<link", " src="] {
        assert!(
            !page.contains(foreign),
            "the page refers to elsewhere: {foreign}"
        );
    }
    let (answer, console) = asked(folder.path(), &page, &[]);
    assert!(console.is_empty(), "{console:?}");
    assert_eq!(answer["wrong"], json!([]));
    assert_eq!(
        answer["axe"],
        json!([]),
        "rules of accessibility that are broken"
    );
    assert_eq!(
        answer["wide"],
        json!([]),
        "wider than a screen of so many pixels"
    );
    let sections: Vec<&str> = answer["sections"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert_eq!(
        sections,
        [
            "claims",
            "suite-rexis",
            "suite-chibios",
            "suite-thread-metric",
            "suite-xous",
            "suite-core",
            "method"
        ]
    );
    // Each figure stands in a table, in the row of its case.
    let rows = answer["rows"].as_array().unwrap();
    for it in document()["results"].as_array().unwrap() {
        let (case, value) = (it["case"].as_str().unwrap(), it["value"].to_string());
        let case = case.strip_prefix("longest: ").unwrap_or(case);
        let first = case
            .split_once('@')
            .map_or(case, |(operation, _)| operation);
        let is_size = it["metric"] == "bytes";
        let found = rows.iter().any(|row| {
            let cells: Vec<&str> = row
                .as_array()
                .unwrap()
                .iter()
                .filter_map(Value::as_str)
                .collect();
            let named = is_size || cells[0].starts_with(first) || cells[0] == "rt";
            named
                && cells
                    .iter()
                    .any(|cell| cell.trim_end_matches(".00").trim_end_matches(".0") == value)
        });
        assert!(found, "{case} {value} is in no table");
    }
    // Three curves over sizes in time and as rate with the points of each, one over growth.
    assert_eq!(answer["points"], json!(2 * 4 + 3));
    assert_eq!(answer["lanes"], json!(2));
    // The figures that it embeds are those of the file.
    assert_eq!(answer["data"], document()["results"]);
    assert_eq!(answer["sorted"], json!(["ascending", "descending"]));
}

/// How the page is looked at: a screen of so many pixels, or paper (A4, at 96 dots an inch).
const LOOKS: [(&str, usize, bool); 4] = [
    ("telephone", 390, false),
    ("tablet", 800, false),
    ("desktop", 1200, false),
    ("paper", 794, true),
];
/// How much of its height is looked at, in pixels.
const HEIGHT: usize = 1600;
/// A look is kept as the brightness of so many places across, and down.
const GRID: [usize; 2] = [24, 40];
/// Fonts differ from machine to machine, so that text is a little longer or shorter: so much may the places differ in the
/// mean, of 255, and so much all but one of twenty.
const MEAN: f64 = 8.0;
const FAR: u8 = 64;

/// The brightness of each place of the page.
fn look(folder: &Path, page: &str, name: &str, width: usize, in_print: bool) -> Vec<u8> {
    // There is no printer: what is for print alone is for this screen.
    let page = if in_print {
        page.replace("@media print", "@media all")
    } else {
        page.to_owned()
    };
    let [shown, frame, picture] =
        ["html", "frame.html", "png"].map(|it| folder.join(format!("{name}.{it}")));
    std::fs::write(&shown, page).unwrap();
    // A window has a least width, which a frame has not.
    let frame_text = format!(
        "<body style=\"margin:0\"><iframe src=\"{name}.html\" \
         style=\"border:0;width:{width}px;height:{HEIGHT}px\"></iframe></body>"
    );
    std::fs::write(&frame, frame_text).unwrap();
    let output = browser(folder)
        .args(["--hide-scrollbars", "--force-device-scale-factor=1"])
        .arg(format!("--window-size=1200,{HEIGHT}"))
        .args([
            "--virtual-time-budget=10000",
            "--run-all-compositor-stages-before-draw",
        ])
        .arg(format!("--screenshot={}", picture.display()))
        .arg(format!("file://{}", frame.display()))
        .output()
        .expect("the browser runs");
    let file = std::fs::File::open(&picture)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    let mut reader = png::Decoder::new(std::io::BufReader::new(file))
        .read_info()
        .unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().expect("it fits")];
    let info = reader.next_frame(&mut bytes).unwrap();
    let samples = info.color_type.samples();
    let light = |x: usize, y: usize| -> u64 {
        let at = y * info.line_size + x * samples;
        bytes[at..at + 3].iter().map(|it| u64::from(*it)).sum()
    };
    let [columns, rows] = GRID;
    let mut places = vec![];
    for row in 0..rows {
        for column in 0..columns {
            let down = row * HEIGHT / rows..(row + 1) * HEIGHT / rows;
            let across = column * width / columns..(column + 1) * width / columns;
            let pixels = (down.len() * across.len()) as u64;
            let sum: u64 = down
                .flat_map(|y| across.clone().map(move |x| (x, y)))
                .map(|(x, y)| light(x, y))
                .sum();
            places.push(u8::try_from(sum / (3 * pixels)).unwrap());
        }
    }
    places
}

/// As it is kept: a line of numbers in hexadecimal for each row of places.
fn kept(looks: &[(&str, Vec<u8>)]) -> String {
    let mut text = String::new();
    for (name, places) in looks {
        text += &format!("{name}\n");
        for row in places.chunks(GRID[0]) {
            let row: Vec<String> = row.iter().map(|it| format!("{it:02x}")).collect();
            text += &format!("{}\n", row.join(" "));
        }
    }
    text
}

/// What differs between a look and the one that is kept; nothing, if that is little.
fn difference(places: &[u8], kept: &[u8]) -> Option<String> {
    if places.len() != kept.len() {
        return Some(format!("{} places, {} are kept", places.len(), kept.len()));
    }
    let each = places
        .iter()
        .zip(kept)
        .map(|(one, other)| one.abs_diff(*other));
    let mean = each.clone().map(f64::from).sum::<f64>() / places.len() as f64;
    let far = each.filter(|it| *it > FAR).count();
    let differs = mean > MEAN || far * 20 > places.len();
    differs.then(|| format!("{mean:.1} in the mean, and more than {FAR} at {far} places"))
}

#[test]
fn the_page_looks_as_it_did_at_three_widths_and_in_print() {
    let folder = tempfile::tempdir().unwrap();
    let (_, file) = made(folder.path());
    let page = std::fs::read_to_string(&file).unwrap();
    let looks = LOOKS
        .map(|(name, width, in_print)| (name, look(folder.path(), &page, name, width, in_print)));
    let place = Path::new("tests/report_page/looks.txt");
    if std::env::var_os("RIPOSTE_WRITE").is_some() {
        std::fs::write(place, kept(&looks)).unwrap();
    }
    let text = std::fs::read_to_string(place).unwrap_or_default();
    for (name, places) in &looks {
        let rows = text
            .lines()
            .skip_while(|line| line != name)
            .skip(1)
            .take(GRID[1]);
        let numbers = rows.flat_map(|row| row.split(' '));
        let before: Vec<u8> = numbers
            .filter_map(|it| u8::from_str_radix(it, 16).ok())
            .collect();
        if let Some(difference) = difference(places, &before) {
            let shown = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("report-{name}.png"));
            std::fs::copy(folder.path().join(format!("{name}.png")), &shown).unwrap();
            panic!(
                "the page looks otherwise ({name}): {difference}; look at {}, and if it is right, run: \
                 RIPOSTE_WRITE=1 cargo test -p riposte-host --test report_page looks",
                shown.display()
            );
        }
    }
}

#[test]
fn a_missing_section_is_no_small_difference() {
    let [white, text] = [255, 225];
    let page = [vec![text; 480], vec![white; 480]].concat();
    assert_eq!(difference(&page, &page), None);
    let shifted: Vec<u8> = page.iter().map(|it| it.saturating_sub(4)).collect();
    assert_eq!(difference(&shifted, &page), None);
    let missing = [vec![white; 480], vec![white; 480]].concat();
    assert!(difference(&missing, &page).is_some());
}

/// All exact figures that the guard keeps, as a result file.
fn everything() -> Value {
    let text = std::fs::read_to_string("../bench/baseline.toml").unwrap();
    let baseline: toml::Table = text.parse().unwrap();
    let mut results = vec![];
    for (suite, boards) in baseline["figures"].as_table().unwrap() {
        for (board, metrics) in boards.as_table().unwrap() {
            for (metric, cases) in metrics.as_table().unwrap() {
                let mut add = |cases: &toml::Table, protected: bool| {
                    for (case, value) in cases {
                        let value = value.as_float().or(value.as_integer().map(|it| it as f64));
                        if let Some(value) = value {
                            let mut it = entry(suite, case, board, 0);
                            it["metric"] = json!(metric);
                            it["value"] = json!(value);
                            it["protected"] = json!(protected);
                            results.push(it);
                        }
                    }
                };
                let cases = cases.as_table().unwrap();
                add(cases, true);
                if let Some(within) = cases.get("within") {
                    add(within.as_table().unwrap(), false);
                }
            }
        }
    }
    json!({
        "schema": 1, "commit": "c0ffee", "date": "2026-01-01T00:00:00Z",
        "tools": { "rustc": "1" }, "results": results,
    })
}

#[test]
fn a_page_of_everything_is_at_most_two_megabytes_and_holds_in_light_and_dark() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("all.json");
    let document = everything();
    assert!(document["results"].as_array().unwrap().len() > 300);
    std::fs::write(&file, document.to_string()).unwrap();
    let mut tool = Command::new(env!("CARGO_BIN_EXE_riposte-host"));
    assert!(
        tool.arg("report")
            .arg(&file)
            .output()
            .unwrap()
            .status
            .success()
    );
    let page = std::fs::read_to_string(folder.path().join("all.html")).unwrap();
    assert!(page.len() <= 2_000_000, "{} bytes", page.len());
    let dark = "--blink-settings=preferredColorScheme=0";
    for (options, is_dark) in [(&[][..], false), (&[dark], true)] {
        let (answer, console) = asked(folder.path(), &page, options);
        assert!(console.is_empty(), "{console:?}");
        assert_eq!(answer["dark"], json!(is_dark));
        for nothing in ["wrong", "axe", "wide"] {
            assert_eq!(answer[nothing], json!([]), "{nothing}, {options:?}");
        }
        let counts = [&answer["data"], &document["results"]].map(|it| it.as_array().map(Vec::len));
        assert_eq!(counts[0], counts[1]);
        let sections = answer["sections"].as_array().unwrap();
        for it in document["results"].as_array().unwrap() {
            let wanted = json!(format!("suite-{}", it["suite"].as_str().unwrap()));
            assert!(sections.contains(&wanted), "{wanted} of {sections:?}");
        }
    }
}

#[test]
fn of_several_files_the_page_embeds_the_figures_that_count() {
    let folder = tempfile::tempdir().unwrap();
    let mut later = document();
    let results = later["results"].as_array_mut().unwrap();
    for it in results.iter_mut() {
        it["value"] = json!(it["value"].as_f64().unwrap() * 2.0);
    }
    later["commit"] = json!("decade");
    let files = [document(), later.clone()].map(|it| {
        let file = folder
            .path()
            .join(format!("{}.json", it["commit"].as_str().unwrap()));
        std::fs::write(&file, it.to_string()).unwrap();
        file
    });
    let mut tool = Command::new(env!("CARGO_BIN_EXE_riposte-host"));
    let output = tool.arg("report").args(&files).output().unwrap();
    assert!(output.status.success());
    let page = std::fs::read_to_string(folder.path().join("decade.html")).unwrap();
    let (_, rest) = page.split_once("type=\"application/json\"").unwrap();
    let (data, _) = rest.split_once("</script>").unwrap();
    let (_, data) = data.split_once('>').unwrap();
    let data: Value = serde_json::from_str(data).unwrap();
    let values = |of: &Value| -> Vec<f64> {
        let all = of["results"].as_array().unwrap().iter();
        all.map(|it| it["value"].as_f64().unwrap()).collect()
    };
    assert_eq!(values(&data), values(&later));
    assert_eq!(data["others"][0]["commit"], "decade");
}

#[test]
fn a_file_that_was_cut_short_is_refused_and_no_page_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("r.json");
    let text = document().to_string();
    std::fs::write(&file, &text[..text.len() / 2]).unwrap();
    let mut tool = Command::new(env!("CARGO_BIN_EXE_riposte-host"));
    let output = tool.arg("report").arg(&file).output().unwrap();
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stderr).replace('\n', " ");
    assert!(
        said.contains("ends too early") && said.contains("./riposte bench"),
        "{said}"
    );
    assert!(!folder.path().join("r.html").exists());
}

#[test]
fn a_newer_or_partial_file_is_shown_as_far_as_it_goes_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("r.json");
    let mut newer = document();
    newer["schema"] = json!(2);
    newer["results"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "suite": "core" }));
    std::fs::write(&file, newer.to_string()).unwrap();
    let mut tool = Command::new(env!("CARGO_BIN_EXE_riposte-host"));
    let output = tool.arg("report").arg(&file).output().unwrap();
    assert!(output.status.success());
    let page = std::fs::read_to_string(folder.path().join("r.html")).unwrap();
    assert!(page.contains("of layout 2"), "its layout is told");
    assert!(
        page.contains("could not be read"),
        "what is missing is told"
    );
    assert!(
        page.contains("not measured here"),
        "headlines without a figure are told"
    );
    assert!(page.contains(">604<"), "and the rest is there");
}
