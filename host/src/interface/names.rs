//! Names of Rust as C has them.

/// Words that a parameter or a member can't be called: C's, C++'s, and those that a generated function
/// uses itself.
const TAKEN: [&str; 95] = [
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "char16_t",
    "char32_t",
    "char8_t",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "concept",
    "connection",
    "const",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "deadline",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "restrict",
    "result",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "status",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "typedef",
    "typeid",
    "typename",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "xor",
    "xor_eq",
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
