//! Types as C has them, with their sizes and alignments on a board.

use std::fmt::Write as _;

use quote::ToTokens;
use riposte_interface::{Scalar, Value};
use syn::punctuated::Punctuated;
use syn::{Meta, Token, Type};

use super::names::{free, snake};
use super::source::{Crate, refused};

/// A type.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Its name, or that of an array's elements.
    pub name: String,
    /// How many elements, of an array, of which each may be one: from the outermost on.
    pub dimensions: Vec<usize>,
    /// Bytes of it.
    pub size: usize,
    /// Bytes of which its address is a multiple.
    pub alignment: usize,
}

/// A structure of the crate.
pub struct Structure {
    /// Its name in Rust.
    pub rust: String,
    /// Its name in C.
    pub name: String,
    fields: Vec<(String, Layout, usize)>,
    layout: Layout,
    packed: bool,
}

/// The types of an interface.
pub struct Layouts<'a> {
    read: &'a Crate,
    prefix: &'a str,
    structures: Vec<Structure>,
}

/// Numbers: Rust's name, C's, bytes.
const NUMBERS: [(&str, &str, usize); 12] = [
    ("u8", "uint8_t", 1),
    ("i8", "int8_t", 1),
    ("u16", "uint16_t", 2),
    ("i16", "int16_t", 2),
    ("u32", "uint32_t", 4),
    ("i32", "int32_t", 4),
    ("usize", "size_t", 4),
    ("isize", "ptrdiff_t", 4),
    ("f32", "float", 4),
    ("u64", "uint64_t", 8),
    ("i64", "int64_t", 8),
    ("f64", "double", 8),
];

/// The name of a scalar in C.
pub fn scalar(scalar: Scalar) -> &'static str {
    let name = scalar.name();
    let found = NUMBERS.iter().find(|(rust, ..)| *rust == name);
    found.map_or("bool", |(_, c, _)| c)
}

impl Layout {
    /// A variable of the type.
    pub fn declare(&self, name: &str) -> String {
        let dimensions: String = self.dimensions.iter().map(|it| format!("[{it}]")).collect();
        format!("{} {name}{dimensions}", self.name)
    }
}

impl<'a> Layouts<'a> {
    /// None yet.
    pub fn new(read: &'a Crate, prefix: &'a str) -> Self {
        Layouts {
            read,
            prefix,
            structures: vec![],
        }
    }

    /// All structures that were asked for, each behind those that are in it.
    pub fn into_structures(self) -> Vec<Structure> {
        self.structures
    }

    /// The type as C has it.
    pub fn of(&mut self, ty: &Type) -> syn::Result<Layout> {
        match ty {
            Type::Array(array) => {
                let mut layout = self.of(&array.elem)?;
                if let syn::Expr::Path(it) = &array.len
                    && let Some(last) = it.path.segments.last()
                {
                    self.read.sure(&last.ident.to_string(), &array.len)?;
                }
                let count = self.read.number(&array.len).ok_or_else(|| {
                    refused(&array.len, "a header needs a plain number here, or a constant of this crate that is one")
                })?;
                layout.size *= count;
                layout.dimensions.insert(0, count);
                Ok(layout)
            }
            Type::Path(path) => {
                let name = path.path.segments.last().map(|last| last.ident.to_string());
                let name = name.unwrap_or_default();
                if let Some((_, c, size)) = NUMBERS.iter().find(|(rust, ..)| *rust == name) {
                    return Ok(Layout {
                        name: (*c).into(),
                        dimensions: vec![],
                        size: *size,
                        alignment: *size,
                    });
                }
                self.structure(&name, ty)
            }
            _ => Err(refused(ty, "this type means nothing in C")),
        }
    }

    fn structure(&mut self, rust: &str, place: &Type) -> syn::Result<Layout> {
        if let Some(known) = self.structures.iter().find(|known| known.rust == rust) {
            return Ok(known.layout.clone());
        }
        let Some(item) = self.read.structure(rust) else {
            let message = format!(
                "C knows no type `{rust}`: it is no number, and no structure with named fields of this crate"
            );
            return Err(refused(place, message));
        };
        self.read.sure(rust, place)?;
        let packed = packed(item)?;
        let mut fields = vec![];
        let (mut size, mut alignment) = (0, 1);
        for field in &item.fields {
            let layout = self.of(&field.ty)?;
            let name = field.ident.as_ref().map(free).unwrap_or_default();
            if !packed {
                alignment = alignment.max(layout.alignment);
            }
            // There are no gaps: what has some can't travel.
            let offset = size;
            size += layout.size;
            fields.push((name, layout, offset));
        }
        let layout = Layout {
            name: format!("{}_{}_t", self.prefix, snake(rust)),
            dimensions: vec![],
            size,
            alignment,
        };
        self.structures.push(Structure {
            rust: rust.into(),
            name: layout.name.clone(),
            fields,
            layout: layout.clone(),
            packed,
        });
        Ok(layout)
    }

    /// The layout of a value that travels as its bytes.
    pub fn plain(&mut self, ty: &Type) -> syn::Result<Layout> {
        let layout = self.of(ty)?;
        if layout.size == 0 {
            return Err(refused(ty, "C has no values without bytes"));
        }
        Ok(layout)
    }

    /// The scalars and structures of a value in order, with names behind `name` if it is a tuple.
    pub fn leaves(&mut self, value: &Value, name: &str) -> syn::Result<Vec<(String, Leaf)>> {
        match value {
            Value::Scalar(scalar, _) => Ok(vec![(name.into(), Leaf::Scalar(*scalar))]),
            Value::Plain(ty) => Ok(vec![(name.into(), Leaf::Plain(self.plain(ty)?))]),
            Value::Tuple(values) => {
                let mut leaves = vec![];
                for (position, value) in values.iter().enumerate() {
                    leaves.extend(self.leaves(value, &format!("{name}_{position}"))?);
                }
                Ok(leaves)
            }
        }
    }
}

/// A value that is no tuple.
#[derive(Clone, Debug)]
pub enum Leaf {
    /// It travels as words.
    Scalar(Scalar),
    /// It travels as its bytes.
    Plain(Layout),
}

impl Leaf {
    /// Its bytes in a message.
    pub fn size(&self) -> usize {
        match self {
            Leaf::Scalar(scalar) => scalar.words() * 4,
            Leaf::Plain(layout) => layout.size,
        }
    }
}

/// Whether a structure is packed; that processes agree on where its fields are.
fn packed(item: &syn::ItemStruct) -> syn::Result<bool> {
    let (mut fixed, mut packed) = (false, false);
    for attribute in item.attrs.iter().filter(|it| it.path().is_ident("repr")) {
        let words = attribute.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)?;
        for word in words {
            match word.to_token_stream().to_string().as_str() {
                "C" | "transparent" => fixed = true,
                "packed" | "packed (1)" | "packed(1)" => packed = true,
                _ => {
                    return Err(refused(
                        &word,
                        "a header knows `C`, `transparent` and `packed` here",
                    ));
                }
            }
        }
    }
    if fixed {
        Ok(packed)
    } else {
        Err(refused(
            &item.ident,
            "C must know where its fields are: add #[repr(C)]",
        ))
    }
}

impl Structure {
    /// Its definition, and that C lays it out as Rust does.
    pub fn definition(&self) -> String {
        let name = &self.name;
        let mut text = format!("typedef struct {name} {{\n");
        for (field, layout, _) in &self.fields {
            let _ = writeln!(text, "    {};", layout.declare(field));
        }
        let packed = if self.packed {
            " __attribute__((packed))"
        } else {
            ""
        };
        let _ = writeln!(text, "}}{packed} {name};");
        let agree = "C and Rust differ";
        let size = self.layout.size;
        let _ = writeln!(
            text,
            "static_assert(sizeof({name}) == {size}, \"{agree}\");"
        );
        let alignment = self.layout.alignment;
        let _ = writeln!(
            text,
            "static_assert(alignof({name}) == {alignment}, \"{agree}\");"
        );
        for (field, _, offset) in &self.fields {
            let _ = writeln!(
                text,
                "static_assert(offsetof({name}, {field}) == {offset}, \"{agree}\");"
            );
        }
        text
    }
}
