//! Proxies of the other node's server.

use check::{equal, holds};
use riposte::{Connection, Duration, Error, Instant, Proxy, Status};
use riposte_node::NodeError;

use crate::{order, tell};

/// Gets the right to trigger one.
pub fn find(mortal: &Connection, which: u32) -> Proxy {
    let (reply, proxy) = mortal.send_for_proxy([order::PROXY, which]).unwrap();
    assert_eq!(reply.words[..4], [which, 22, 33, 44]);
    proxy.unwrap()
}

fn received(mortal: &Connection, which: u32) -> u32 {
    tell(mortal, [order::RECEIVED, which]).unwrap()
}

/// What the judge's node has lost.
fn lost() -> u32 {
    let mut manager = riposte::connect("rome").unwrap();
    let _ = manager.reconnect();
    riposte_node::state(&manager).unwrap().lost
}

fn pause(millis: u64) {
    let _ = riposte::sleep(Duration::from_millis(millis));
}

/// It leads nowhere any more, as is known as soon as the other node has said so.
pub fn is_over(what: &str, proxy: &Proxy) {
    let _ = proxy.trigger();
    pause(100);
    equal(what, proxy.trigger(), Err(Error::ServerDied));
}

fn harm(words: [u32; 5]) {
    riposte::connect("wire").unwrap().send_words(words).unwrap();
}

pub fn all(mortal: &Connection) {
    let proxy = find(mortal, 0);
    counts(mortal, &proxy);
    does_not_wait(mortal, &proxy);
    refusals(mortal);
    ends(mortal, proxy);
}

fn counts(mortal: &Connection, proxy: &Proxy) {
    for times in [1, 2, 100] {
        let before = received(mortal, 0);
        (0..times).for_each(|_| proxy.trigger().unwrap());
        pause(100);
        equal(
            "a proxy of another node is received as often as it was triggered",
            received(mortal, 0) - before,
            times,
        );
    }
    let before = received(mortal, 0);
    harm([20, 20, 20, 10, 7]);
    for _ in 0..50 {
        proxy.trigger().unwrap();
        pause(10);
    }
    harm([0, 0, 0, 0, 1]);
    pause(1000);
    let (came, lost) = (received(mortal, 0) - before, lost());
    riposte::println!("of 50 triggers {came} came, {lost} were lost");
    holds(
        "and never more often on a bad wire",
        came <= 50 && came + lost >= 50,
    );
    holds("and most of them come", came >= 40);
}

fn does_not_wait(mortal: &Connection, proxy: &Proxy) {
    let (before, lost_before) = (received(mortal, 0), lost());
    harm([100, 0, 0, 0, 1]);
    let begin = Instant::now();
    (0..5).for_each(|_| proxy.trigger().unwrap());
    holds(
        "who triggers does not wait for the other node",
        begin.elapsed() < Duration::from_millis(5),
    );
    pause(1100);
    equal(
        "what has not come by the manifest's time is lost",
        lost() - lost_before,
        5,
    );
    harm([0, 0, 0, 0, 1]);
    pause(1500);
    equal("and never comes", received(mortal, 0), before);
    proxy.trigger().unwrap();
    pause(1000);
    equal("the next one does", received(mortal, 0), before + 1);
}

fn refusals(mortal: &Connection) {
    let found = tell(mortal, [order::PROXY, 1]);
    equal(
        "a client that takes no proxy is told that there was one",
        found,
        Err(NodeError::NotCarried),
    );
    let (reply, connection) = mortal.send_for_handle([order::CONNECTION]).unwrap();
    equal(
        "a connection does not go across",
        (NodeError::of(reply.status), connection.is_none()),
        (Some(NodeError::NotCarried), true),
    );
    holds("that is the node's word", reply.status != Status(55));
}

fn ends(mortal: &Connection, proxy: Proxy) {
    // There are three places: who asks for more loses its oldest.
    let more = [1, 2, 3].map(|which| find(mortal, which));
    is_over(
        "who asks for more proxies than there are places loses its oldest",
        &proxy,
    );
    let before = received(mortal, 1);
    more[0].trigger().unwrap();
    pause(100);
    equal("and keeps the others", received(mortal, 1), before + 1);
    let _ = tell(mortal, [order::END_PROXY, 1]);
    is_over("a proxy that its server has ended is over", &more[0]);
    let _ = tell(mortal, [order::DIE, 0]);
    pause(50);
    is_over("and so is one whose server has ended", &more[1]);
    for proxy in more.into_iter().chain([proxy]) {
        let _ = proxy.close();
    }
    let again = find(mortal, 0);
    again.trigger().unwrap();
    pause(100);
    equal("the server's next life has others", received(mortal, 0), 1);
    let _ = again.close();
}
