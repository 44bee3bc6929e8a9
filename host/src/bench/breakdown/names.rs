//! The names that an image gives.

use super::{Names, Privilege};
use crate::fault::Scene;
use crate::machine;

impl Names for Scene<'_> {
    fn process(&self, space: u32, address: u32) -> String {
        Scene::process(self, machine::space(space), address)
            .unwrap_or("?")
            .into()
    }

    fn function(&self, _: Privilege, space: u32, address: u32) -> String {
        Scene::function(self, machine::space(space), address)
            .unwrap_or_else(|| format!("{address:#010x}"))
    }
}
