//! What the image builder says of the board and of the application.

include!(concat!(env!("OUT_DIR"), "/manifest.rs"));
