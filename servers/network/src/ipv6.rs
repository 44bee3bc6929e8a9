//! IPv6: the addresses and the way out that the manifest says or routers tell.

use core::net::Ipv6Addr;

use network_store::{Families, OWN, OwnAddresses, Routers, SOLICITATION, Store, solicitation};
use riposte::println;
use riposte_network::State;
use smoltcp::iface::Interface;
use smoltcp::phy::{Device, TxToken};
use smoltcp::time::{Duration, Instant};
use smoltcp::wire::{EthernetAddress, HardwareAddress, IpAddress, IpCidr, Ipv6Cidr};

use crate::settings;
use crate::wire::Wire;

/// Between two lines about addresses that others have.
const PAUSE: Duration = Duration::from_secs(10);

/// What all addresses of one link alone begin with.
const LINK: Ipv6Cidr = Ipv6Cidr::new(Ipv6Addr::new(0xFE80, 0, 0, 0, 0, 0, 0, 0), 64);

/// Where the addresses come from.
enum Source {
    Manifest(Ipv6Cidr, Option<Ipv6Addr>),
    Routers(Routers),
}

/// What there is of IPv6.
pub struct Ipv6 {
    source: Source,
    own: OwnAddresses,
    /// When it was told last that somebody else has one.
    told: Option<Instant>,
    /// None until there has been one.
    device: Option<EthernetAddress>,
    is_up: bool,
    is_changed: bool,
}

impl Ipv6 {
    /// Without an address until there is a device.
    pub fn new() -> Ipv6 {
        let source = match settings::ipv6::address() {
            Some((address, gateway)) => Source::Manifest(address, gateway),
            None => Source::Routers(Routers::new()),
        };
        Ipv6 {
            source,
            own: OwnAddresses::new(),
            told: None,
            device: None,
            is_up: false,
            is_changed: false,
        }
    }

    /// What the driver says of its device.
    pub fn heard(&mut self, device: EthernetAddress, is_up: bool, now: Instant) {
        let is_other = self.device.replace(device) != Some(device);
        let has_come_up = is_up && !self.is_up;
        self.is_up = is_up;
        self.is_changed |= is_other;
        if is_other || has_come_up {
            self.own.begin(is_other);
            // Before what has come already is looked at.
            self.want();
        }
        if let Source::Routers(routers) = &mut self.source
            && (is_other || has_come_up)
        {
            routers.begin(now);
        }
    }

    /// Looks at a frame that has come.
    pub fn hear(&mut self, now: Instant, frame: &[u8]) {
        if let Source::Routers(routers) = &mut self.source {
            routers.hear(now, frame);
        }
        if let Some(taken) = self.own.hear(frame) {
            self.is_changed = true;
            // Whoever is at the wire can have it told as often as it likes.
            if self.told.is_none_or(|it| it + PAUSE <= now) {
                self.told = Some(now);
                self.tell_taken(taken);
            }
        }
    }

    /// Says that somebody else has an address, and what is to be done.
    #[inline(never)]
    fn tell_taken(&self, taken: Ipv6Addr) {
        let (others, what) = match &self.source {
            _ if taken.is_unicast_link_local() => (
                ", nor any other of IPv6",
                "give the devices different addresses (MAC)",
            ),
            Source::Manifest(..) => (
                "",
                "change `address-ipv6` in the network server's `settings` in app.toml",
            ),
            Source::Routers(_) => ("", "give the devices different addresses (MAC)"),
        };
        println!(
            "network: {taken} is another host's at the wire and is not used{others}: {what}, or see who says so; it is asked for again when the link comes back"
        );
    }

    /// Has the stack know what has changed, and asks routers if it is time to. Whether anything has changed.
    pub fn turn(
        &mut self,
        interface: &mut Interface,
        wire: &mut Wire,
        store: &mut Store<'_>,
        now: Instant,
    ) -> bool {
        if let Source::Routers(routers) = &mut self.source {
            self.is_changed |= routers.tend(now);
        }
        if self.is_changed {
            self.want();
        }
        // What was asked before the link has gone nobody may have heard.
        self.is_changed |= self.is_up && self.own.tend(now);
        let is_changed = core::mem::take(&mut self.is_changed);
        if is_changed {
            self.configure(interface, store);
        }
        self.send_due(wire, now);
        if let (Source::Routers(routers), Some(device)) = (&mut self.source, self.device)
            && self.own.has_link()
            && !wire.is_blocked()
            && routers.is_to_ask(now)
        {
            ask(device, wire, now);
        }
        is_changed
    }

    /// Says which addresses there are to be: that of the link first.
    #[inline(never)]
    fn want(&mut self) {
        let Some(device) = self.device else {
            return;
        };
        let (manifest, routers) = match &self.source {
            Source::Manifest(address, _) => (Some(*address), None),
            Source::Routers(routers) => (None, Some(routers)),
        };
        let told = routers.into_iter().flat_map(|it| it.addresses(device));
        let all = link_local(device).into_iter().chain(manifest).chain(told);
        self.own.want(all);
    }

    /// Asks who has the own addresses, and tells who wants them, or their groups.
    #[inline(never)]
    fn send_due(&mut self, wire: &mut Wire, now: Instant) {
        let Some(device) = self.device.filter(|_| self.is_up) else {
            return;
        };
        // Their groups are told, and each is asked for, or told of.
        for _ in 0..=OWN {
            if wire.is_blocked() {
                return;
            }
            let Some(due) = self.own.due(now) else {
                return;
            };
            if let Some(sends) = wire.transmit(now) {
                sends.consume(due.length(), |frame| due.emit(device, frame));
            }
        }
    }

    #[inline(never)]
    fn configure(&self, interface: &mut Interface, store: &mut Store<'_>) {
        let mut used = self.own.used().map(IpCidr::Ipv6);
        let wanted: [Option<IpCidr>; OWN] = [(); OWN].map(|()| used.next());
        let gateway = match &self.source {
            Source::Manifest(_, gateway) => *gateway,
            Source::Routers(routers) => routers.router(),
        };
        // Without an address nothing is sent from here.
        let gateway = gateway.filter(|_| wanted.iter().any(Option::is_some));
        let own = interface.ip_addrs().iter();
        let own = own.filter(|it| matches!(it, IpCidr::Ipv6(_)));
        // Whoever has other addresses forgets all others' at the wire.
        if !own.eq(wanted.iter().flatten()) {
            interface.update_ip_addrs(|all| {
                all.retain(|it| !matches!(it, IpCidr::Ipv6(_)));
                // There is room for these and one of IPv4.
                all.extend(wanted.iter().flatten().copied());
            });
            store.forget_neighbours();
        }
        let routes = interface.routes_mut();
        routes.remove_default_ipv6_route();
        if let Some(gateway) = gateway {
            // There is room for one of each family.
            let _ = routes.add_default_ipv6_route(gateway);
        }
    }

    /// Who is asked for names, as routers tell.
    pub fn name_servers(&self) -> impl Iterator<Item = IpAddress> + '_ {
        let routers = match &self.source {
            Source::Manifest(..) => None,
            Source::Routers(routers) => Some(routers),
        };
        let servers = routers.into_iter().flat_map(Routers::servers);
        servers.map(IpAddress::Ipv6)
    }

    /// When there is something to do.
    pub fn ends(&self) -> Option<Instant> {
        // Nobody is asked while there is no link.
        let own = self.own.ends().filter(|_| self.is_up);
        let routers = match &self.source {
            Source::Manifest(..) => None,
            // They are asked from the address of the link.
            Source::Routers(routers) if self.own.has_link() => routers.ends(),
            Source::Routers(_) => None,
        };
        own.into_iter().chain(routers).min()
    }

    /// Says what is known.
    pub fn tell(&self, interface: &Interface, state: &mut State) {
        for address in interface.ip_addrs() {
            let IpCidr::Ipv6(address) = address else {
                continue;
            };
            if address.address().is_unicast_link_local() {
                state.link_local = address.address();
            } else if state.address_ipv6.is_unspecified() {
                state.address_ipv6 = address.address();
                state.prefix_ipv6 = address.prefix_len().into();
            }
        }
        let route = interface.routes().get_default_ipv6_route();
        if let Some(IpAddress::Ipv6(gateway)) = route.map(|it| it.via_router) {
            state.gateway_ipv6 = gateway;
        }
        if let Source::Routers(routers) = &self.source {
            state.advertisements_refused = routers.refused();
        }
    }
}

/// The address of a device that holds at its link alone.
fn link_local(device: EthernetAddress) -> Option<Ipv6Cidr> {
    Ipv6Cidr::from_link_prefix(&LINK, HardwareAddress::Ethernet(device))
}

/// Asks for routers.
fn ask(device: EthernetAddress, wire: &mut Wire, now: Instant) {
    let (Some(own), Some(sends)) = (link_local(device), wire.transmit(now)) else {
        return;
    };
    sends.consume(SOLICITATION, |frame| {
        // It is as long as that.
        if let Ok(frame) = frame.try_into() {
            solicitation(own.address(), device, frame);
        }
    });
}

/// Who knows the way to all others.
pub fn gateway(interface: &Interface) -> Option<IpAddress> {
    let route = interface.routes().get_default_ipv6_route()?;
    Some(route.via_router)
}

/// Whether there is an address from which that one can be reached, and a way to it. What the stack is asked to send else it loses
/// without a word.
pub fn is_reachable(interface: &Interface, to: IpAddress) -> bool {
    let IpAddress::Ipv6(address) = to else {
        return true;
    };
    let is_own_link = address.is_unicast_link_local() || address.is_multicast();
    let mut all = interface.ip_addrs().iter();
    if is_own_link {
        return all.any(|it| matches!(it, IpCidr::Ipv6(_)));
    }
    let is_near = interface.ip_addrs().iter().any(|it| it.contains_addr(&to));
    let has_way = is_near || interface.routes().get_default_ipv6_route().is_some();
    let is_for_elsewhere = |it: &IpCidr| match it {
        IpCidr::Ipv6(it) => !it.address().is_unicast_link_local(),
        IpCidr::Ipv4(_) => false,
    };
    has_way && all.any(is_for_elsewhere) && !address.is_loopback()
}

/// The families of addresses that are any good, of those that are wanted; none if there is no such address.
pub fn families(interface: &Interface, wanted: Families) -> Option<Families> {
    if wanted != Families::Both {
        return Some(wanted);
    }
    let has_ipv4 = interface.ipv4_addr().is_some();
    let mut all = interface.ip_addrs().iter();
    let has_ipv6 = all.any(|it| match it {
        IpCidr::Ipv6(it) => !it.address().is_unicast_link_local(),
        IpCidr::Ipv4(_) => false,
    });
    Some(match (has_ipv4, has_ipv6) {
        (true, false) => Families::Ipv4,
        (false, true) => Families::Ipv6,
        _ => Families::Both,
    })
}
