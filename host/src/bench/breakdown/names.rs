//! The names that an image gives.

use super::{Names, Privilege};
use crate::fault::Scene;

impl Names for Scene<'_> {
    fn process(&self, _: u32, address: u32) -> String {
        Scene::process(self, address).unwrap_or("?").into()
    }

    fn function(&self, _: Privilege, _: u32, address: u32) -> String {
        Scene::function(self, address).unwrap_or_else(|| format!("{address:#010x}"))
    }
}
