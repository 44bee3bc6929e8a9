//! The functions of a client.

use std::fmt::Write as _;

use riposte_interface::Scalar;

use super::layout::{Leaf, scalar};
use super::parameters::{Argument, Field, Shape};
use super::{One, comment, wrapped};

/// A function for each method, and one with a deadline.
pub fn functions(one: &One<'_>) -> String {
    let mut text = String::new();
    for method in &one.methods {
        for timed in [false, true] {
            text += &function(&one.prefix, method, timed);
        }
    }
    text
}

fn function(prefix: &str, method: &Shape, timed: bool) -> String {
    let name = &method.name;
    let (suffix, deadline) = if timed {
        ("_until", Some("riposte_deadline_t deadline".into()))
    } else {
        ("", None)
    };
    let first = ["riposte_connection_t connection".to_owned()].into_iter();
    let parameters = first.chain(method.inputs()).chain(deadline);
    let parameters = parameters.chain(method.outputs());
    let parameters: Vec<_> = parameters.chain(["uint32_t *status".into()]).collect();
    let comment = if timed {
        format!("/* As {prefix}_{name}, until a deadline. */\n")
    } else {
        let more = "Blocks until the server answers. The status is 0 or why there is no result.";
        comment("", &method.documentation, more)
    };
    let body = if method.in_words {
        in_words(method, timed)
    } else {
        in_bytes(method, timed)
    };
    let parameters = wrapped("    ", &parameters);
    format!(
        "\n{comment}static inline riposte_error_t {prefix}_{name}{suffix}{parameters}\n{{\n{body}}}\n"
    )
}

/// Request and reply in registers.
fn in_words(method: &Shape, timed: bool) -> String {
    let mut words = vec![format!("{}u", method.number)];
    for (_, field) in method.fields() {
        if let Field::Leaf(name, Leaf::Scalar(scalar)) = field {
            words.extend(into_words(scalar, &name));
        }
    }
    let count = words.len();
    let words = words.join(", ");
    let size = method.reply_size();
    let (suffix, deadline) = if timed {
        ("_until", "deadline, ")
    } else {
        ("", "")
    };
    let mut text = format!(
        "    const uint32_t riposte_request[{count}] = {{{words}}};\n    \
         riposte_reply_t riposte_reply;\n    \
         const riposte_error_t riposte_error =\n        \
         riposte_send_words{suffix}(connection, riposte_request, {count}, {deadline}&riposte_reply);\n    \
         if (riposte_error != RIPOSTE_OK)\n        return riposte_error;\n    \
         *status = riposte_private_status(&riposte_reply, {size});\n    \
         if (*status)\n        return RIPOSTE_OK;\n"
    );
    for (place, name, leaf) in method.reply() {
        if let Leaf::Scalar(it) = leaf {
            let word = |more| format!("riposte_reply.words[{}]", place / 4 + more);
            let _ = writeln!(
                text,
                "    *{name} = {};",
                from_words(*it, &word(0), &word(1))
            );
        }
    }
    text + "    return RIPOSTE_OK;\n"
}

/// Request or reply in memory.
fn in_bytes(method: &Shape, timed: bool) -> String {
    let request = method.slices_begin();
    let head = method.room_begin();
    let mut text = format!(
        "    uint8_t riposte_request[{request}] = {{0}};\n    \
         uint8_t riposte_head[{}] = {{0}};\n    riposte_reply_t riposte_reply;\n    \
         riposte_error_t riposte_error;\n    \
         riposte_private_put_word(riposte_request, 0, {});\n",
        head.max(1),
        method.number
    );
    for (place, field) in method.fields() {
        text += &match field {
            Field::Leaf(name, leaf) => put("riposte_request", place, &name, &leaf, false),
            Field::Count(name) => {
                format!(
                    "    riposte_private_put_word(riposte_request, {place}, (uint32_t){name});\n"
                )
            }
        };
    }
    text += &exchange(method, timed);
    text += "    if (riposte_error != RIPOSTE_OK)\n        return riposte_error;\n";
    text += &checks(method, head);
    text += "    if (*status)\n        return RIPOSTE_OK;\n";
    for (place, name, leaf) in method.reply() {
        text += &take_into("riposte_head", place, name, leaf);
    }
    if let Some(name) = method.text_room() {
        let _ = writeln!(text, "    *{name}_length = riposte_count;");
    }
    text + "    return RIPOSTE_OK;\n"
}

/// Sends it, and takes the answer.
fn exchange(method: &Shape, timed: bool) -> String {
    let slices: Vec<String> = method
        .arguments
        .iter()
        .filter_map(|argument| {
            let (name, size, alignment) = match argument {
                Argument::Slice(name, layout) => (name, layout.size, layout.alignment),
                Argument::Text(name) => (name, 1, 1),
                _ => return None,
            };
            Some(format!(
                "{{{name}, {} * {size}, {alignment}}}",
                argument.count()
            ))
        })
        .collect();
    let deadline = if timed { "deadline" } else { "RIPOSTE_FOREVER" };
    let head = method.room_begin();
    if slices.is_empty() && method.room().is_none() {
        let (suffix, deadline) = if timed {
            ("_until", "deadline, ")
        } else {
            ("", "")
        };
        return format!(
            "    riposte_error = riposte_send{suffix}(connection, riposte_request, sizeof riposte_request, \
             riposte_head, {head}, {deadline}&riposte_reply);\n"
        );
    }
    let (room, bytes) = match method.room() {
        Some((name, layout)) => (
            name.to_owned(),
            format!("{name}_capacity * {}", layout.size),
        ),
        None => ("NULL".into(), "0".into()),
    };
    let (array, count) = (slices.join(", "), slices.len());
    let (array, pointer) = if slices.is_empty() {
        (String::new(), "NULL")
    } else {
        let array = format!(
            "    const struct riposte_private_slice riposte_slices[{count}] = {{{array}}};\n"
        );
        (array, "riposte_slices")
    };
    format!(
        "{array}    riposte_error = riposte_private_exchange(connection, riposte_request, sizeof riposte_request, \
         {pointer}, {count}, riposte_head, {head}, {room}, {bytes}, {deadline}, &riposte_reply);\n"
    )
}

/// That the answer is what the method gives, and all of it is there.
fn checks(method: &Shape, head: usize) -> String {
    let Some((name, layout)) = method.room() else {
        return format!("    *status = riposte_private_status(&riposte_reply, {head});\n");
    };
    let (place, size) = (method.count_place(), layout.size);
    let mut text = format!(
        "    const size_t riposte_count = riposte_private_word(riposte_head, {place});\n    \
         *status = riposte_private_filled(&riposte_reply, {head}, riposte_count, {size}, {name}_capacity);\n"
    );
    if method.text_room().is_some() {
        let _ = write!(
            text,
            "    if (*status == 0 && !riposte_private_is_utf8({name}, riposte_count))\n        \
             *status = RIPOSTE_REFUSED_MALFORMED;\n"
        );
    }
    text
}

/// The words of a variable.
fn into_words(scalar: Scalar, name: &str) -> Vec<String> {
    match (scalar, scalar.name()) {
        (Scalar::Words(_), _) => vec![
            format!("(uint32_t){name}"),
            format!("(uint32_t)((uint64_t){name} >> 32)"),
        ],
        (_, "f32") => vec![format!("riposte_private_word_of_float({name})")],
        _ => vec![format!("(uint32_t){name}")],
    }
}

/// The value of such words.
pub fn from_words(it: Scalar, low: &str, high: &str) -> String {
    let c = scalar(it);
    match (it, it.name()) {
        (Scalar::Words(_), _) => format!("({c})((uint64_t){low} | (uint64_t){high} << 32)"),
        (_, "f32") => format!("riposte_private_float_of_word({low})"),
        (_, "bool") => format!("{low} != 0"),
        _ => format!("({c}){low}"),
    }
}

/// Puts a variable, or what is passed for a parameter, into bytes.
pub fn put(bytes: &str, place: usize, name: &str, leaf: &Leaf, variable: bool) -> String {
    match leaf {
        Leaf::Scalar(scalar) => {
            let words = into_words(*scalar, name).into_iter().enumerate();
            let lines = words.map(|(more, word)| {
                let place = place + 4 * more;
                format!("    riposte_private_put_word({bytes}, {place}, {word});\n")
            });
            lines.collect()
        }
        Leaf::Plain(layout) => {
            let from = if variable {
                leaf.address(name)
            } else {
                name.to_owned()
            };
            format!("    memcpy({bytes} + {place}, {from}, {});\n", layout.size)
        }
    }
}

/// Takes what a parameter points to out of bytes.
fn take_into(bytes: &str, place: usize, name: &str, leaf: &Leaf) -> String {
    match leaf {
        Leaf::Scalar(it) => {
            let word = |more: usize| format!("riposte_private_word({bytes}, {})", place + more);
            format!("    *{name} = {};\n", from_words(*it, &word(0), &word(4)))
        }
        Leaf::Plain(layout) => format!("    memcpy({name}, {bytes} + {place}, {});\n", layout.size),
    }
}
