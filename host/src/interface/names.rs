//! Names of Rust as C has them.

/// Words that a parameter or a member can't be called: C's, C++'s, and those that a generated function
/// uses itself.
const TAKEN: [&str; 55] = [
    "auto",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "class",
    "connection",
    "const",
    "continue",
    "deadline",
    "default",
    "delete",
    "do",
    "double",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "namespace",
    "new",
    "operator",
    "private",
    "protected",
    "public",
    "register",
    "restrict",
    "result",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "status",
    "struct",
    "switch",
    "template",
    "this",
    "throw",
    "typedef",
    "typename",
    "union",
    "unsigned",
    "virtual",
    "void",
    "volatile",
];

/// `NoSuchPlace` as `no_such_place`.
pub fn snake(name: &str) -> String {
    let mut text = String::new();
    let mut before = None::<char>;
    for letter in name.chars() {
        if letter.is_uppercase() && before.is_some_and(|it| it.is_lowercase() || it.is_numeric()) {
            text.push('_');
        }
        text.extend(letter.to_lowercase());
        before = Some(letter);
    }
    text.replace('-', "_")
}

/// `NoSuchPlace` as `NO_SUCH_PLACE`.
pub fn screaming(name: &str) -> String {
    snake(name).to_uppercase()
}

/// A name that is free in C.
pub fn free(name: &syn::Ident) -> String {
    let name = name.to_string();
    let name = name.trim_start_matches("r#");
    if TAKEN.contains(&name) {
        format!("{name}_")
    } else {
        name.to_owned()
    }
}
