//! Owns the readings and serves them.
#![no_std]

use thermometer_api::{History, NoSuchPlace, Thermometer, ThermometerServer};

/// Longest name of a place, in bytes.
const NAME: usize = 12;

struct Sensor {
    places: [History; 2],
}

impl Thermometer for Sensor {
    fn read(&mut self, place: u32) -> Result<i32, NoSuchPlace> {
        let history = self.places.get_mut(place as usize).ok_or(NoSuchPlace)?;
        // No real sensor here: it gets warmer, and the second place is the colder one.
        let reading = 2000 - 1500 * place.cast_signed() + 25 * history.count.cast_signed();
        history.readings.rotate_right(1);
        history.readings[0] = reading;
        history.count += 1;
        Ok(reading)
    }

    fn history(&self, place: u32) -> Result<History, NoSuchPlace> {
        self.places.get(place as usize).copied().ok_or(NoSuchPlace)
    }

    fn name(&mut self, _place: u8, name: &[u8]) -> usize {
        name.len().min(NAME)
    }
}

#[riposte::main]
fn main() {
    let channel = riposte::channel("thermometer").unwrap();
    let mut sensor = Sensor {
        places: [History {
            count: 0,
            readings: [0; 8],
        }; 2],
    };
    let error = ThermometerServer::serve(&channel, &mut sensor, &mut [0; 64]);
    panic!("the sensor's channel: {error}");
}
