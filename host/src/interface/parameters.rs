//! A method as a function of C: its parameters, and where each stands in a message.

use riposte_interface::{Kind, Method};
use syn::Attribute;

use super::layout::{Layout, Layouts, Leaf, scalar};
use super::names::free;

/// A method.
pub struct Shape {
    /// Its name.
    pub name: String,
    /// Its number in a request.
    pub number: usize,
    /// Its documentation.
    pub documentation: Vec<Attribute>,
    /// Its arguments.
    pub arguments: Vec<Argument>,
    /// The values of its result.
    pub results: Vec<(String, Leaf)>,
    /// Whether request and reply go in registers.
    pub in_words: bool,
}

/// An argument.
pub enum Argument {
    /// A value, or those of a tuple.
    Values(Vec<(String, Leaf)>),
    /// A slice of elements of such a type.
    Slice(String, Layout),
    /// UTF-8.
    Text(String),
    /// Room for elements of such a type.
    Room(String, Layout),
    /// Room for UTF-8.
    TextRoom(String),
}

/// What stands among the values of a request.
pub enum Field {
    /// A value.
    Leaf(String, Leaf),
    /// How many elements follow, or have room: the parameter's name.
    Count(String),
}

impl Shape {
    pub(super) fn of(
        method: &Method,
        number: usize,
        layouts: &mut Layouts<'_>,
    ) -> syn::Result<Shape> {
        let mut arguments = vec![];
        for argument in &method.arguments {
            let name = free(&argument.name);
            arguments.push(match &argument.kind {
                Kind::Value(value) | Kind::Reference(value) => {
                    Argument::Values(layouts.leaves(value, &name)?)
                }
                Kind::Slice(ty) => Argument::Slice(name, layouts.plain(ty)?),
                Kind::Text => Argument::Text(name),
                Kind::Room(ty) => Argument::Room(name, layouts.plain(ty)?),
                Kind::TextRoom => Argument::TextRoom(name),
            });
        }
        Ok(Shape {
            name: method.name.to_string().trim_start_matches("r#").into(),
            number,
            documentation: method.documentation.clone(),
            arguments,
            results: layouts.leaves(&method.result, "result")?,
            in_words: method.sends_words() && method.replies_words(),
        })
    }

    /// The parameters of what goes to the server, and of rooms.
    pub fn inputs(&self) -> Vec<String> {
        self.arguments
            .iter()
            .flat_map(Argument::parameters)
            .collect()
    }

    /// The parameters of what comes from the server.
    pub fn outputs(&self) -> Vec<String> {
        let results = self.results.iter().map(|(name, leaf)| output(name, leaf));
        results
            .chain(
                self.text_room()
                    .map(|name| format!("size_t *{name}_length")),
            )
            .collect()
    }

    /// The slices and texts, with what a text is to C.
    pub fn slices(&self) -> impl Iterator<Item = (&str, Layout, bool)> {
        self.arguments.iter().filter_map(|argument| match argument {
            Argument::Slice(name, layout) => Some((name.as_str(), layout.clone(), false)),
            Argument::Text(name) => Some((name.as_str(), Layout::letter(), true)),
            _ => None,
        })
    }

    /// The room, with the type of its elements.
    pub fn room(&self) -> Option<(&str, Layout)> {
        self.arguments.iter().find_map(|argument| match argument {
            Argument::Room(name, layout) => Some((name.as_str(), layout.clone())),
            Argument::TextRoom(name) => Some((name.as_str(), Layout::letter())),
            _ => None,
        })
    }

    /// The room for a text.
    pub fn text_room(&self) -> Option<&str> {
        self.arguments.iter().find_map(|argument| match argument {
            Argument::TextRoom(name) => Some(name.as_str()),
            _ => None,
        })
    }

    /// What stands in a request behind the method's number, each with its place.
    pub fn fields(&self) -> Vec<(usize, Field)> {
        let mut fields = vec![];
        let mut place = 4;
        for argument in &self.arguments {
            let leaves = match argument {
                Argument::Values(leaves) => leaves.clone(),
                other => {
                    fields.push((place, Field::Count(other.count())));
                    place += 4;
                    continue;
                }
            };
            for (name, leaf) in leaves {
                let size = leaf.size();
                fields.push((place, Field::Leaf(name, leaf)));
                place += size;
            }
        }
        fields
    }

    /// Bytes of a request's number and values.
    pub fn request_size(&self) -> usize {
        let sizes = self.fields().into_iter().map(|(_, field)| match field {
            Field::Leaf(_, leaf) => leaf.size(),
            Field::Count(_) => 4,
        });
        4 + sizes.sum::<usize>()
    }

    /// The greatest alignment of the slices.
    pub fn alignment(&self) -> usize {
        let all = self.slices().map(|(_, layout, _)| layout.alignment);
        all.max().unwrap_or(1)
    }

    /// Where the slices of a request begin.
    pub fn slices_begin(&self) -> usize {
        self.request_size().next_multiple_of(self.alignment())
    }

    /// The values of a reply, each with its place.
    pub fn reply(&self) -> Vec<(usize, &str, &Leaf)> {
        let mut place = 0;
        let results = self.results.iter().map(|(name, leaf)| {
            let here = place;
            place += leaf.size();
            (here, name.as_str(), leaf)
        });
        results.collect()
    }

    /// Bytes of a reply's values, among them the length of a text.
    pub fn reply_size(&self) -> usize {
        let sizes: usize = self.results.iter().map(|(_, leaf)| leaf.size()).sum();
        sizes + if self.text_room().is_some() { 4 } else { 0 }
    }

    /// Where the room of a reply begins.
    pub fn room_begin(&self) -> usize {
        let alignment = self.room().map_or(1, |(_, layout)| layout.alignment);
        self.reply_size().next_multiple_of(alignment)
    }

    /// Where a reply says how many elements of the room are filled.
    pub fn count_place(&self) -> usize {
        if self.text_room().is_some() {
            self.reply_size() - 4
        } else {
            0
        }
    }
}

impl Argument {
    /// The name of the parameter that says how many elements there are, or have room.
    pub fn count(&self) -> String {
        match self {
            Argument::Values(_) => String::new(),
            Argument::Slice(name, _) => format!("{name}_count"),
            Argument::Text(name) => format!("{name}_length"),
            Argument::Room(name, _) | Argument::TextRoom(name) => format!("{name}_capacity"),
        }
    }

    fn parameters(&self) -> Vec<String> {
        let count = format!("size_t {}", self.count());
        match self {
            Argument::Values(leaves) => leaves
                .iter()
                .map(|(name, leaf)| input(name, leaf))
                .collect(),
            Argument::Slice(name, layout) => vec![format!("const {}", layout.pointer(name)), count],
            Argument::Text(name) => vec![format!("const char *{name}"), count],
            Argument::Room(name, layout) => vec![layout.pointer(name), count],
            Argument::TextRoom(name) => vec![format!("char *{name}"), count],
        }
    }

    /// What is passed for its parameters by who has variables of their names.
    pub fn passed(&self) -> Vec<String> {
        match self {
            Argument::Values(leaves) => leaves
                .iter()
                .map(|(name, leaf)| leaf.passed(name))
                .collect(),
            Argument::Slice(name, _)
            | Argument::Text(name)
            | Argument::Room(name, _)
            | Argument::TextRoom(name) => {
                vec![name.clone(), self.count()]
            }
        }
    }
}

impl Layout {
    /// A letter of a text, which is a byte.
    fn letter() -> Layout {
        Layout {
            name: "char".into(),
            dimensions: vec![],
            size: 1,
            alignment: 1,
        }
    }

    /// A pointer to the first of several.
    pub fn pointer(&self, name: &str) -> String {
        if self.dimensions.is_empty() {
            format!("{} *{name}", self.name)
        } else {
            self.declare(&format!("(*{name})"))
        }
    }
}

impl Leaf {
    /// How a variable of it is passed to be read.
    fn passed(&self, name: &str) -> String {
        match self {
            Leaf::Plain(layout) if layout.dimensions.is_empty() => format!("&{name}"),
            _ => name.to_owned(),
        }
    }

    /// The address of a variable of it.
    pub fn address(&self, name: &str) -> String {
        match self {
            Leaf::Plain(layout) if !layout.dimensions.is_empty() => name.to_owned(),
            _ => format!("&{name}"),
        }
    }
}

/// A parameter that is read. A structure or an array is where the caller has it.
fn input(name: &str, leaf: &Leaf) -> String {
    match leaf {
        Leaf::Scalar(it) => format!("{} {name}", scalar(*it)),
        Leaf::Plain(layout) if layout.dimensions.is_empty() => {
            format!("const {} *{name}", layout.name)
        }
        Leaf::Plain(layout) => format!("const {}", layout.declare(name)),
    }
}

/// A parameter that is written.
fn output(name: &str, leaf: &Leaf) -> String {
    match leaf {
        Leaf::Scalar(it) => format!("{} *{name}", scalar(*it)),
        Leaf::Plain(layout) if layout.dimensions.is_empty() => format!("{} *{name}", layout.name),
        Leaf::Plain(layout) => layout.declare(name),
    }
}
