//! Lets the mortal die, and restarts the supervisor before it is told. The host hears whether it tells then.
#![no_std]

#[riposte::main]
fn main() {
    let mortal = riposte::connect("mortal").unwrap();
    let supervisor = riposte::process("supervisor").unwrap();
    let died = mortal.send_words([]).map(drop);
    supervisor.restart();
    check::equal("the mortal has died", died, Err(riposte::Error::ServerDied));
    let _ = riposte::sleep(riposte::Duration::from_millis(50));
    check::done();
}
