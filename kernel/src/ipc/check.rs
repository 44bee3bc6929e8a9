//! Invariants of proxies.

use crate::{Kernel, Object, Process, Proxy, Purpose};

impl Proxy {
    /// It is there while its owner has a handle of it, and queued while it has been triggered.
    pub(crate) fn check(&'static self, kernel: &Kernel, owner: &Process) {
        let exists = self.exists();
        assert!(!exists || owner.alive.get(), "a proxy of the dead");
        assert!(exists || self.count.get() == 0, "triggers of no proxy");
        assert_eq!(
            self.count.get() != 0,
            self.is_queued(),
            "triggers that nobody is told of"
        );
        let handles = kernel.handles_of(owner);
        let own = &handles[usize::from(self.slot)];
        assert!(own.purpose == Purpose::Own);
        let is_own = |object| matches!(object, Object::Proxy(proxy) if core::ptr::eq(proxy, self));
        let is_named = is_own(own.object()) && self.is(own.badge());
        assert_eq!(is_named, exists, "a proxy without its owner's handle");
        if exists {
            let channel = &kernel.tables.channels[usize::from(self.channel.get())];
            assert!(channel.owner.is(owner), "a proxy of another's channel");
        }
        for (process, handles) in kernel.tables.processes.iter().zip(kernel.tables.handles) {
            let may_trigger = |badge: u32, object| is_own(object) && self.is(badge);
            let mut handles = handles.iter();
            let triggers = handles.any(|handle| may_trigger(handle.badge(), handle.object()));
            assert!(process.alive.get() || !triggers, "the dead may trigger");
        }
    }
}
