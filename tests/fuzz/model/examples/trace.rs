//! Prints a round of the model: `cargo run --example trace -- SEED ROUND`.

fn main() {
    let mut arguments = std::env::args()
        .skip(1)
        .map(|word| word.parse().expect("a number"));
    let (seed, round) = (
        arguments.next().expect("SEED"),
        arguments.next().expect("ROUND"),
    );
    let played = riposte_fuzz_model::play(seed, round);
    for ((index, record), step) in played.records.iter().enumerate().zip(&played.steps) {
        println!(
            "{index:4} {}\n     {}",
            riposte_fuzz_model::describe(step, record),
            played.states[index]
        );
    }
}
