//! Owns the readings and serves them.
#![no_std]

use riposte::{Buffer, Text};
use thermometer_api::{History, NoSuchPlace, Thermometer, ThermometerServer};

/// Longest name of a place, in bytes.
const NAME: usize = 24;

#[derive(Clone, Copy)]
struct Place {
    history: History,
    name: [u8; NAME],
    length: usize,
}

struct Sensor {
    places: [Place; 2],
}

impl Place {
    const NEW: Place = Place {
        history: History {
            count: 0,
            readings: [0; 8],
        },
        name: [0; NAME],
        length: 0,
    };

    /// The readings that there are, the newest one first.
    fn readings(&self) -> &[i32] {
        let all = &self.history.readings;
        &all[..all.len().min(self.history.count as usize)]
    }
}

impl Sensor {
    fn place(&self, number: u32) -> Result<&Place, NoSuchPlace> {
        self.places.get(number as usize).ok_or(NoSuchPlace)
    }

    fn place_mut(&mut self, number: u32) -> Result<&mut Place, NoSuchPlace> {
        self.places.get_mut(number as usize).ok_or(NoSuchPlace)
    }
}

impl Thermometer for Sensor {
    fn read(&mut self, place: u32) -> Result<i32, NoSuchPlace> {
        let history = &mut self.place_mut(place)?.history;
        // No real sensor here: it gets warmer, and the second place is the colder one.
        let reading = 2000 - 1500 * place.cast_signed() + 25 * history.count.cast_signed();
        history.readings.rotate_right(1);
        history.readings[0] = reading;
        history.count += 1;
        Ok(reading)
    }

    fn extremes(&self, place: u32) -> Result<(i32, i32), NoSuchPlace> {
        let readings = self.place(place)?.readings();
        let coldest = readings.iter().min().copied().unwrap_or_default();
        let warmest = readings.iter().max().copied().unwrap_or_default();
        Ok((coldest, warmest))
    }

    fn history(&self, place: u32) -> Result<History, NoSuchPlace> {
        self.place(place).map(|place| place.history)
    }

    fn newest(&self, place: u32, room: &mut [i32]) -> Result<usize, NoSuchPlace> {
        let readings = self.place(place)?.readings();
        let count = readings.len().min(room.len());
        room[..count].copy_from_slice(&readings[..count]);
        Ok(count)
    }

    fn set_name(&mut self, place: u32, name: &str) -> Result<bool, NoSuchPlace> {
        let place = self.place_mut(place)?;
        let Some(kept) = place.name.get_mut(..name.len()) else {
            return Ok(false);
        };
        kept.copy_from_slice(name.as_bytes());
        place.length = name.len();
        Ok(true)
    }

    fn name(&self, place: u32, name: &mut Text) -> Result<(), NoSuchPlace> {
        let place = self.place(place)?;
        let kept = core::str::from_utf8(&place.name[..place.length]);
        // What is too long for the client's room is no name.
        let _ = name.push_str(kept.unwrap_or_default());
        Ok(())
    }
}

#[riposte::main]
fn main() {
    let channel = riposte::channel("thermometer").unwrap();
    let mut sensor = Sensor {
        places: [Place::NEW; 2],
    };
    // The requests and results, and as much room for what has any length.
    let mut buffer = Buffer::<{ ThermometerServer::BUFFER + 64 }>::new();
    let error = ThermometerServer::serve(&channel, &mut sensor, &mut buffer);
    panic!("the sensor's channel: {error}");
}
