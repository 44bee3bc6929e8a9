//! The stack, and when it wants to be asked again.

use core::net::{IpAddr, Ipv4Addr};

use network_store::{Heard, PINGS, Route, SEARCHES, SERVERS, Store, is_host, is_own};
use smoltcp::iface::{Config, Interface, PollResult};
use smoltcp::phy::{Device, TxToken};
use smoltcp::time::{Duration, Instant};
use smoltcp::wire::{EthernetAddress, HardwareAddress, IpAddress, IpCidr, Ipv4Cidr};

use crate::ipv6::{self, Ipv6};
use crate::settings;
use crate::wire::{Unwired, Wire};

/// Most frames that are looked at before clients are.
const FRAMES: usize = 16;
/// How long nothing is sent after that many have left and none has come, in microseconds.
const RESTLESS: u64 = 5_000;
/// How long nothing is tried while nothing can be sent, in microseconds.
const BLOCKED: u64 = 20_000;

/// The stack, over the driver.
pub struct Stack {
    pub interface: Interface,
    /// Of which the numbers alone are used, and by questions for names alone: those of streams, which others are told, do not
    /// tell them.
    pub numbers: Interface,
    pub wire: Wire,
    pub ipv6: Ipv6,
    /// Who is asked for names, as the network has told with the address of IPv4.
    names: [Option<Ipv4Addr>; SERVERS],
    pub asks_for_address: bool,
    /// The driver has something to say: frames, most times.
    is_noticed: bool,
    pub device: [u8; 6],
}

/// When the stack is to be asked again.
pub enum Next {
    Now,
    At(riposte::Instant),
    /// When something comes.
    Event,
}

/// The time, as the stack has it.
pub fn now() -> Instant {
    let micros = riposte::Instant::now().as_nanos() / 1000;
    Instant::from_micros(micros as i64)
}

/// An address that a device has before it is known: of this machine only.
const NOBODY: EthernetAddress = EthernetAddress([2, 0, 0, 0, 0, 0]);

/// One without an address.
#[inline(never)]
fn interface(seed: u64) -> Interface {
    let mut config = Config::new(HardwareAddress::Ethernet(NOBODY));
    config.random_seed = seed;
    Interface::new(config, &mut Unwired, now())
}

impl Stack {
    /// Without an address, and without a driver: [`Stack::begin`] is next.
    // What it makes on the way is not to stay on the stack.
    #[inline(never)]
    pub fn new(seed: u64) -> Stack {
        Stack {
            interface: interface(seed),
            numbers: interface(settings::seed()),
            wire: Wire::new(),
            ipv6: Ipv6::new(),
            names: [None; SERVERS],
            asks_for_address: true,
            is_noticed: false,
            device: NOBODY.0,
        }
    }

    /// Takes the address that the manifest says, if it says one, and looks for the driver.
    pub fn begin(&mut self) {
        if let Some((address, gateway)) = settings::address() {
            self.asks_for_address = false;
            self.configure(Some(address), gateway);
        }
        self.heard();
    }

    /// The driver has something to say.
    pub fn noticed(&mut self) {
        self.is_noticed = true;
        self.wire.noticed();
    }

    /// Asks the driver what it has to say that is no frame: it may have started again.
    pub fn heard(&mut self) {
        let Some(state) = self.wire.heard() else {
            return;
        };
        let address = EthernetAddress(state.address);
        if !address.is_unicast() {
            return;
        }
        if self.device != state.address {
            self.device = state.address;
            self.interface
                .set_hardware_addr(HardwareAddress::Ethernet(address));
        }
        self.ipv6.heard(address, state.is_up, now());
    }

    fn configure(&mut self, address: Option<Ipv4Cidr>, gateway: Option<Ipv4Addr>) {
        self.interface.update_ip_addrs(|all| {
            all.retain(|it| !matches!(it, IpCidr::Ipv4(_)));
            if let Some(address) = address {
                // There is room for one.
                let _ = all.push(IpCidr::Ipv4(address));
            }
        });
        let routes = self.interface.routes_mut();
        routes.remove_default_ipv4_route();
        if let Some(gateway) = gateway {
            let _ = routes.add_default_ipv4_route(gateway);
        }
    }

    /// The address of IPv4.
    pub fn address(&self) -> Option<Ipv4Cidr> {
        let mut all = self.interface.ip_addrs().iter();
        all.find_map(|it| match it {
            IpCidr::Ipv4(it) => Some(*it),
            #[allow(unreachable_patterns, reason = "without IPv6 there are no others")]
            _ => None,
        })
    }

    /// Who knows the way to all others.
    pub fn gateway(&self) -> Option<IpAddr> {
        let route = self.interface.routes().get_default_ipv4_route()?;
        Some(route.via_router.into())
    }

    /// The way to somebody else; none if there is no such host, or no way.
    pub fn route(&self, to: IpAddress) -> Option<Route> {
        route(&self.interface, to)
    }

    /// Whether what is sent there leaves this host: what the stack is asked to send else it loses without a word.
    pub fn leads_to(&self, to: IpAddress) -> bool {
        let interface = &self.interface;
        // Of the former the stack asks for no address to send from, and the latter it would give to the wire.
        if to.is_unspecified() || is_own(to) {
            return false;
        }
        if is_host(interface, to) {
            return self.route(to).is_some();
        }
        interface.get_source_address(&to).is_some() && ipv6::is_reachable(interface, to)
    }

    /// Sends what looks for neighbours, and for echoes.
    #[inline(never)]
    fn send_due(&mut self, store: &mut Store<'_>, now: Instant) {
        let device = EthernetAddress(self.device);
        for _ in 0..SEARCHES + PINGS {
            if self.wire.is_blocked() {
                return;
            }
            let due = store.due_search(now).or_else(|| store.due_ping(now));
            let Some(due) = due else {
                return;
            };
            if let Some(sends) = self.wire.transmit(now) {
                sends.consume(due.length(), |frame| due.emit(device, frame));
            }
        }
    }

    /// Whether the driver has something to say, or may have.
    pub fn has_news(&self) -> bool {
        self.is_noticed || self.wire.may_have_come()
    }

    /// Keeps datagrams that have come and need no stack, up to the first frame that does. Whether there is none, and nothing else
    /// that the driver has to say: then there is nothing for [`Stack::turn`].
    pub fn take_datagrams(&mut self, store: &mut Store<'_>) -> bool {
        if self.wire.is_blocked() {
            return !self.is_noticed;
        }
        for _ in 0..FRAMES {
            if !self.wire.fetch() {
                break;
            }
            if !store.takes(self.wire.came()) {
                return false;
            }
            self.wire.pass_by();
            self.is_noticed = false;
        }
        !self.is_noticed
    }

    /// Looks at what has come, and sends what is to be sent: a bounded amount of both.
    pub fn turn(&mut self, store: &mut Store<'_>) -> Next {
        let now = now();
        self.interface.poll_maintenance(now);
        // What it has to say besides is room, which is asked for if there was none. A driver that has no bit of its own for its
        // link and its next life says so with no frame.
        if self.is_noticed && self.wire.is_blocked() {
            self.is_noticed = false;
            self.heard();
        }
        let mut has_come = false;
        for _ in 0..FRAMES {
            if !self.wire.fetch() {
                break;
            }
            has_come = true;
            let came = self.wire.came();
            if store.takes(came) || store.refuses(came, self.asks_for_address, now) {
                self.wire.pass_by();
                continue;
            }
            store.tells_of_neighbours(came);
            if !store.make_room(&self.interface, self.wire.came(), now) {
                self.wire.pass_by();
                continue;
            }
            let sockets = &mut store.sockets;
            self.interface
                .poll_ingress_single(now, &mut self.wire, sockets);
            store.keep_datagrams();
            self.ipv6.hear(now, self.wire.came());
            // Of this one frame: with the next one it would not be known whose answer it was.
            if store.is_listening() {
                store.hear(now, EthernetAddress(self.device), self.wire.came());
            }
            let heard = store.is_asking().then(|| Heard::of(self.wire.came()));
            if let Some(heard @ Some(_)) = heard {
                store.tend_questions(now, heard.as_ref());
            }
        }
        if core::mem::take(&mut self.is_noticed) && !has_come {
            self.heard();
        }
        let wire = &mut self.wire;
        let is_changed = self.ipv6.turn(&mut self.interface, wire, store, now);
        if is_changed {
            self.tell_name_servers(store);
        }
        let mut goes_on = true;
        for _ in 0..FRAMES {
            let is_offered = store.offer_datagram();
            let sockets = &mut store.sockets;
            let interface = &mut self.interface;
            let send = |wire: &mut Wire| interface.poll_egress(now, wire, sockets);
            let (sent, egress) = self.wire.send(send);
            store.note_egress(now, egress);
            let left = self.wire.left();
            store.look_for_neighbours(now, egress, left, |to| route(&self.interface, to));
            let may_go_on = is_offered && !self.wire.is_blocked();
            if matches!(sent, PollResult::None) && !may_go_on {
                goes_on = false;
                break;
            }
        }
        store.tend_questions(now, None);
        if store.is_listening() {
            store.tend_pings(now);
            store.tend_searches(now);
            self.send_due(store, now);
        }
        if self.asks_for_address {
            self.ask_for_address(store);
        }
        store.tend(now);
        while self.wire.recall(|frame| store.recall(frame, now)) {
            let sockets = &mut store.sockets;
            self.interface
                .poll_ingress_single(now, &mut self.wire, sockets);
        }
        if self.wire.may_have_come() {
            return Next::Now;
        }
        let delay = self.interface.poll_delay(now, &store.sockets);
        // What is over has no time left.
        let left = |it: Instant| if it > now { it - now } else { Duration::ZERO };
        let question = store.question_ends().map(left);
        let routers = self.ipv6.ends().map(left);
        let pings = store.ping_ends().map(left);
        let searches = store.search_ends().map(left);
        let streams = store.stream_ends().map(left);
        let datagrams = store.has_datagram_to_send().then_some(Duration::ZERO);
        let delay = [
            delay, question, routers, pings, searches, streams, datagrams,
        ]
        .into_iter()
        .flatten()
        .min();
        let delay = delay.map(|it| it.total_micros());
        let delay = match delay {
            // Nothing would come of it.
            Some(delay) if self.wire.is_blocked() => Some(delay.max(BLOCKED)),
            // Whatever the stack does not cease to send, others go on.
            Some(delay) if goes_on && !has_come => Some(delay.max(RESTLESS)),
            delay => delay,
        };
        match delay {
            None => Next::Event,
            Some(0) => Next::Now,
            Some(micros) => {
                let wait = riposte::Duration::from_micros(micros);
                Next::At(riposte::Instant::now() + wait)
            }
        }
    }

    fn ask_for_address(&mut self, store: &mut Store<'_>) {
        let Some(lease) = store.lease() else {
            return;
        };
        self.configure(lease.address, lease.gateway);
        store.forget_neighbours();
        self.names = lease.names;
        self.tell_name_servers(store);
    }

    /// The manifest's go before those that the network tells.
    fn tell_name_servers(&self, store: &mut Store<'_>) {
        if settings::name_servers().next().is_some() {
            return;
        }
        let told = self.names.iter().flatten();
        let told = told.map(|it| IpAddress::Ipv4(*it));
        let told = told.chain(self.ipv6.name_servers());
        store.set_name_servers(told);
    }
}

/// The way to somebody else; none if there is no such host, or no way.
#[inline(never)]
fn route(interface: &Interface, to: IpAddress) -> Option<Route> {
    let is_other = is_host(interface, to) && !interface.has_ip_addr(to);
    if !is_other || !ipv6::is_reachable(interface, to) {
        return None;
    }
    let from = interface.get_source_address(&to)?;
    let is_near = interface.ip_addrs().iter().any(|it| it.contains_addr(&to));
    let next = match to {
        to if is_near => to,
        IpAddress::Ipv4(_) => interface.routes().get_default_ipv4_route()?.via_router,
        #[allow(unreachable_patterns, reason = "without IPv6 there are no others")]
        _ => ipv6::gateway(interface)?,
    };
    Some(Route { from, to, next })
}
