//! What a server in C is made of: a table of functions, and the loop that calls them.

use std::fmt::Write as _;

use super::client::{from_words, put};
use super::layout::{Leaf, scalar};
use super::parameters::{Field, Shape};
use super::{One, comment, wrapped};

/// The table, the dispatcher and the loop.
pub fn functions(one: &One<'_>) -> String {
    let mut text = table(one);
    for method in &one.methods {
        text += &function(&one.prefix, method);
    }
    text + &dispatch(one) + &serve(&one.prefix)
}

fn table(one: &One<'_>) -> String {
    let prefix = &one.prefix;
    let mut text = format!(
        "\n/* What a server does: a function for each method. Each gets first what the server was given for itself, \
         stores its results,\n * which are zeros before, and returns 0, or the status of an error. */\n\
         typedef struct {prefix}_server_t {{\n"
    );
    for method in &one.methods {
        text += &comment("    ", &method.documentation, "");
        let first = ["void *self".to_owned()].into_iter();
        let parameters: Vec<_> = first
            .chain(method.inputs())
            .chain(method.outputs())
            .collect();
        let parameters = wrapped("        ", &parameters);
        let _ = writeln!(text, "    uint32_t (*{}){parameters};", method.member());
    }
    let _ = writeln!(text, "}} {prefix}_server_t;");
    let sizes = one
        .methods
        .iter()
        .flat_map(|method| [method.request_size(), method.room_begin()]);
    let buffer = sizes.max().unwrap_or_default().max(4);
    let _ = writeln!(
        text,
        "\n/* Bytes of the shortest buffer that holds every request and result but what has any length: that needs \
         room\n * besides, a room behind the slices and texts of its request. */\n\
         #define {}_BUFFER {buffer}",
        prefix.to_uppercase()
    );
    text
}

impl Shape {
    /// Its name in the table.
    fn member(&self) -> String {
        super::names::free(&syn::Ident::new(&self.name, proc_macro2::Span::call_site()))
    }
}

/// From a request to the function, and from its results to the answer.
fn function(prefix: &str, method: &Shape) -> String {
    let mut text = format!(
        "\nstatic inline riposte_answer_t {prefix}_private_{}(\n    \
         const {prefix}_server_t *riposte_server, void *riposte_self,\n    \
         const riposte_message_t *riposte_message, void *riposte_buffer, size_t riposte_capacity)\n{{\n    \
         const uint8_t *riposte_request = (const uint8_t *)riposte_message_bytes(riposte_message);\n",
        method.name
    );
    let has_slices = method.slices().next().is_some();
    let _ = write!(
        text,
        "    riposte_answer_t riposte_answer = riposte_private_refuse(0);\n    \
         uint32_t riposte_status = riposte_private_refusal(riposte_message, {}, {has_slices});\n    \
         if (riposte_status == 0 && !riposte_server->{})\n        \
         riposte_status = RIPOSTE_REFUSED_NO_SUCH_METHOD;\n{REFUSE}",
        method.slices_begin(),
        method.member()
    );
    for (place, field) in method.fields() {
        text += &take(place, &field);
    }
    text += &slices(method);
    text += &room(method);
    for (name, leaf) in &method.results {
        text += &result(name, leaf);
    }
    text += &fits(method);
    text += &call(method);
    text += &answer(method);
    // Not every method needs all that it is given.
    for unused in ["riposte_request", "riposte_buffer", "riposte_capacity"] {
        if text.matches(unused).count() == 1 {
            text += &format!("    (void){unused};\n");
        }
    }
    text + "    return riposte_answer;\n}\n"
}

const REFUSE: &str =
    "    if (riposte_status)\n        return riposte_private_refuse(riposte_status);\n";

/// An argument as a variable of its name.
fn take(place: usize, field: &Field) -> String {
    let word = |more: usize| format!("riposte_private_word(riposte_request, {})", place + more);
    match field {
        Field::Count(name) => format!("    size_t {name} = {};\n", word(0)),
        Field::Leaf(name, Leaf::Scalar(it)) => {
            let value = from_words(*it, &word(0), &word(4));
            format!("    const {} {name} = {value};\n", scalar(*it))
        }
        Field::Leaf(name, leaf @ Leaf::Plain(layout)) => {
            let (declared, size, to) = (layout.declare(name), layout.size, leaf.address(name));
            format!("    {declared};\n    memcpy({to}, riposte_request + {place}, {size});\n")
        }
    }
}

fn slices(method: &Shape) -> String {
    if method.slices().next().is_none() {
        return String::new();
    }
    let (begin, alignment) = (method.slices_begin(), method.alignment());
    let mut text = format!(
        "    struct riposte_private_tail riposte_tail;\n    \
         riposte_status = riposte_private_tail(riposte_message, {begin}, {alignment}, riposte_buffer, \
         riposte_capacity, &riposte_tail);\n{REFUSE}"
    );
    for (name, layout, is_text) in method.slices() {
        let count = if is_text {
            format!("{name}_length")
        } else {
            format!("{name}_count")
        };
        let (size, alignment) = (layout.size, layout.alignment);
        let (declared, cast) = (layout.pointer(name), layout.pointer(""));
        let more = if is_text {
            format!(" || !riposte_private_is_utf8({name}, {count})")
        } else {
            String::new()
        };
        let _ = write!(
            text,
            "    const {declared} =\n        (const {cast})riposte_private_take_slice(&riposte_tail, \
             {count}, {size}, {alignment});\n    \
             if (!{name}{more})\n        return riposte_private_refuse(RIPOSTE_REFUSED_MALFORMED);\n"
        );
    }
    text + "    if (riposte_tail.position != riposte_tail.length)\n        \
            return riposte_private_refuse(RIPOSTE_REFUSED_MALFORMED);\n"
}

/// The room as a variable of its name, and its capacity, which is no more than this server's buffer.
fn room(method: &Shape) -> String {
    let Some((name, layout)) = method.room() else {
        return String::new();
    };
    let (rest, left) = if method.slices().next().is_some() {
        ("riposte_tail.rest", "riposte_tail.left")
    } else {
        ("(uint8_t *)riposte_buffer", "riposte_capacity")
    };
    let head = method.room_begin();
    let (declared, cast) = (layout.pointer(name), layout.pointer(""));
    let text = match method.text_room() {
        Some(name) => format!("    size_t {name}_length = 0;\n"),
        None => String::new(),
    };
    format!(
        "{text}    uint8_t *const riposte_reply = riposte_private_room({rest}, {left}, {head}, {}, {}, \
         (uint32_t){name}_capacity, &{name}_capacity);\n    \
         if (!riposte_reply)\n        return riposte_private_refuse(RIPOSTE_REFUSED_TOO_LONG);\n    \
         {declared} = ({cast})(riposte_reply + {head});\n",
        layout.size, layout.alignment
    )
}

/// A variable for a result: zeros, so that nothing else is told if the server stores none.
fn result(name: &str, leaf: &Leaf) -> String {
    match leaf {
        Leaf::Scalar(it) => format!("    {} {name} = 0;\n", scalar(*it)),
        Leaf::Plain(layout) => {
            let (declared, to, size) = (layout.declare(name), leaf.address(name), layout.size);
            format!("    {declared};\n    memset({to}, 0, {size});\n")
        }
    }
}

fn call(method: &Shape) -> String {
    let arguments = method
        .arguments
        .iter()
        .flat_map(|argument| argument.passed());
    let results = method.results.iter().map(|(name, leaf)| leaf.address(name));
    let text = method.text_room().map(|name| format!("&{name}_length"));
    let first = ["riposte_self".to_owned()].into_iter();
    let passed: Vec<_> = first.chain(arguments).chain(results).chain(text).collect();
    format!(
        "    riposte_status = riposte_server->{}({});\n{REFUSE}",
        method.member(),
        passed.join(", ")
    )
}

/// Where a short reply and a long one stand.
const WORDS: usize = 20;

/// The look whether a long reply will fit, before the function does anything. A room was looked for already.
fn fits(method: &Shape) -> String {
    let size = method.reply_size();
    if method.room().is_some() || size <= WORDS {
        return String::new();
    }
    format!(
        "    if (riposte_capacity < {size})\n        \
         return riposte_private_refuse(RIPOSTE_REFUSED_TOO_LONG);\n"
    )
}

fn answer(method: &Shape) -> String {
    let size = method.reply_size();
    let mut text = String::new();
    let reply = if let Some((name, layout)) = method.room() {
        let count = match (method.text_room(), method.results.first()) {
            (Some(name), _) => format!("{name}_length"),
            (None, Some((first, _))) => first.clone(),
            (None, None) => String::new(),
        };
        let _ = write!(
            text,
            "    if ({count} > {name}_capacity)\n        \
             return riposte_private_refuse(RIPOSTE_REFUSED_TOO_LONG);\n    \
             riposte_answer.bytes = riposte_reply;\n    \
             riposte_answer.length = {} + {count} * {};\n",
            method.room_begin(),
            layout.size
        );
        if method.text_room().is_some() {
            let place = method.count_place();
            let _ = writeln!(
                text,
                "    riposte_private_put_word(riposte_reply, {place}, (uint32_t){count});"
            );
        }
        "riposte_reply"
    } else if size <= WORDS {
        let _ = write!(
            text,
            "    uint8_t *const riposte_reply = (uint8_t *)riposte_answer.words;\n    \
                       riposte_answer.length = {size};\n"
        );
        "riposte_reply"
    } else {
        let _ = write!(
            text,
            "    uint8_t *const riposte_reply = (uint8_t *)riposte_buffer;\n    \
             riposte_answer.bytes = riposte_reply;\n    riposte_answer.length = {size};\n"
        );
        "riposte_reply"
    };
    if method.results.is_empty() && method.room().is_none() {
        return String::new();
    }
    for (place, name, leaf) in method.reply() {
        text += &put(reply, place, name, leaf, true);
    }
    text
}

fn dispatch(one: &One<'_>) -> String {
    let prefix = &one.prefix;
    let arguments = "server, self, message, buffer, capacity";
    let mut text = format!(
        "\n/* The answer to one message, for a server with a loop of its own: see riposte_answer_and_receive. The buffer is \
         that of\n * the receive. Memory is refused, and goes home. Blocks only if a function of the server does. */\n\
         static inline riposte_answer_t {prefix}_dispatch(\n    \
         const {prefix}_server_t *server, void *self, const riposte_message_t *message, void *buffer, \
         size_t capacity)\n{{\n    \
         if (!riposte_private_is_request(message))\n        \
         return riposte_private_refuse(RIPOSTE_REFUSED_MALFORMED);\n    \
         if (message->length < 4)\n        return riposte_private_refuse(message->offered < 4 ? \
         RIPOSTE_REFUSED_MALFORMED : RIPOSTE_REFUSED_TOO_LONG);\n    \
         switch (riposte_private_word(riposte_message_bytes(message), 0)) {{\n"
    );
    for method in &one.methods {
        let (number, name) = (method.number, &method.name);
        let _ = writeln!(
            text,
            "    case {number}:\n        return {prefix}_private_{name}({arguments});"
        );
    }
    text + "    default:\n        return riposte_private_refuse(RIPOSTE_REFUSED_NO_SUCH_METHOD);\n    }\n}\n"
}

fn serve(prefix: &str) -> String {
    format!(
        "\n/* Serves for ever: each message is a call of one of the server's functions, which get `self`. The buffer holds \
         what does\n * not fit in registers. Blocks; returns only when the channel can't be received from, with the \
         reason. */\n\
         static inline riposte_error_t {prefix}_serve(\n    \
         riposte_channel_t channel, const {prefix}_server_t *server, void *self, void *buffer, \
         size_t capacity)\n{{\n    \
         riposte_message_t message;\n    \
         riposte_error_t error = riposte_receive(channel, buffer, capacity, &message);\n    \
         while ((error = riposte_private_next(channel, error, buffer, capacity, &message)) == RIPOSTE_OK) {{\n        \
         const riposte_answer_t answer = {prefix}_dispatch(server, self, &message, buffer, capacity);\n        \
         error = riposte_answer_and_receive(channel, message.token, &answer, buffer, capacity, &message);\n    }}\n    \
         return error;\n}}\n"
    )
}
