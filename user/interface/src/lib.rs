//! What the trait of an interface says, checked: `#[riposte::interface]` makes a client and a server of it in
//! Rust, and the image builder a header for C.
//!
//! A request is the method's number, a word, then the arguments in order, without gaps: a scalar as its words,
//! a structure as its bytes; of a slice, a text or a room the number of elements. The elements of slices and
//! texts follow in order, each at a multiple of its alignment; the first one at a multiple of the greatest of
//! all. A reply is the values of the result in order, then the elements of the room that are filled, at a
//! multiple of their alignment. What fits goes in registers.

mod method;
mod status;
mod value;

use syn::{Attribute, Error, Ident, ItemTrait, Result, Visibility};

pub use method::{Argument, Kind, Method};
pub use status::{Case, Failure};
pub use value::{Scalar, Value};

/// Words of a message in registers besides the method's number.
pub const ARGUMENT_WORDS: usize = 4;
/// Words of a reply in registers.
pub const RESULT_WORDS: usize = 5;

/// The trait.
pub struct Interface {
    /// Who may name it.
    pub visibility: Visibility,
    /// Its documentation.
    pub documentation: Vec<Attribute>,
    /// Its name.
    pub name: Ident,
    /// Its methods; the number of each is its position.
    pub methods: Vec<Method>,
}

impl Interface {
    /// Reads the trait.
    ///
    /// # Errors
    /// What of it can't be an interface, and why.
    pub fn of(item: &ItemTrait) -> Result<Interface> {
        if !item.generics.params.is_empty() {
            let message = "an interface can't be generic: its messages have one layout";
            return Err(Error::new_spanned(&item.generics, message));
        }
        let methods: Vec<_> = item.items.iter().map(Method::of).collect::<Result<_>>()?;
        for method in &methods {
            check_name(method, &methods)?;
        }
        Ok(Interface {
            visibility: item.vis.clone(),
            documentation: documentation(&item.attrs),
            name: item.ident.clone(),
            methods,
        })
    }
}

/// The client has methods of its own, which an interface's may not hide.
fn check_name(method: &Method, methods: &[Method]) -> Result<()> {
    const OWN: [&str; 3] = ["new", "connection", "reconnect"];
    let name = method.name.to_string();
    let timed = |other: &&Method| name == format!("{}_until", other.name);
    let message = if OWN.contains(&name.as_str()) {
        format!("`{name}` is a method that every client has: choose another name")
    } else if let Some(other) = methods.iter().find(timed) {
        let other = &other.name;
        format!("`{name}` is the client's `{other}` with a deadline: choose another name")
    } else {
        return Ok(());
    };
    Err(Error::new_spanned(&method.name, message))
}

fn documentation(attributes: &[Attribute]) -> Vec<Attribute> {
    let attributes = attributes.iter();
    attributes
        .filter(|attribute| attribute.path().is_ident("doc"))
        .cloned()
        .collect()
}
