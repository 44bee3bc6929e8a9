//! Takes frames. Each is lent to the filter, which changes it where it lies, and then given to the
//! sink. No pixel is copied.
#![no_std]

use camera_api::{Frame, HEIGHT, MEMORY, WIDTH};
use riposte::{Connection, Error, Pages, println};

/// Frames to take.
const FRAMES: u32 = 5;

#[riposte::main]
fn main() {
    let filter = riposte::connect("filter").unwrap();
    let sink = riposte::connect("sink").unwrap();
    if let Err(error) = name_it(&sink).and_then(|()| take(&filter, &sink)) {
        println!("camera: {error}");
    }
    let error = riposte::shutdown(0);
    println!("shutdown: {error}");
}

/// Lends the sink a few bytes. No board can open so few of them, and only them, to another process:
/// the library sends a copy, and says so.
fn name_it(sink: &Connection) -> Result<(), Error> {
    let reply = sink.lend(b"garden", [0; 3])?;
    match reply.copied {
        Some(bytes) => println!("camera: the name went as a copy of {bytes} bytes"),
        None => println!("camera: the name was lent"),
    }
    Ok(())
}

fn take(filter: &Connection, sink: &Connection) -> Result<(), Error> {
    for number in 1..=FRAMES {
        // Memory that the sink has released is used again, and is cleared.
        let Some(mut memory) = Pages::allocate(MEMORY) else {
            println!("camera: no memory is free for frame {number}");
            continue;
        };
        // The memory is longer than a frame.
        expose(memory.view_mut().unwrap(), number);
        let filtered = filter.lend_mut(&mut memory, [10, 0, 0])?;
        let [before, after, ..] = filtered.words;
        let given = sink.give(memory, [0; 3]).map_err(|failure| failure.error)?;
        let how = |copied: Option<usize>| {
            if copied.is_some() {
                "copied"
            } else {
                "in place"
            }
        };
        println!(
            "camera: frame {number} filtered {} from {before} to {after}, given {}, {} kept",
            how(filtered.copied),
            how(given.copied),
            given.words[0],
        );
    }
    Ok(())
}

/// No real camera here: a gradient, brighter from frame to frame.
fn expose(frame: &mut Frame, number: u32) {
    frame.number = number;
    for (y, row) in frame.pixels.iter_mut().enumerate() {
        for (x, pixel) in row.iter_mut().enumerate() {
            let light = (x * 128 / WIDTH + y * 64 / HEIGHT) as u32 + 5 * number;
            *pixel = light.min(255) as u8;
        }
    }
}
