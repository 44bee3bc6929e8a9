//! What must hold of proxies and timers.

use riposte_kernel::{Handle, Kernel, Process, Proxy, Purpose, Timer};

/// Checks all of them.
///
/// # Panics
/// Something does not hold.
pub fn consistent(kernel: &Kernel) {
    let tables = kernel.tables();
    for (holder, handles) in tables.processes.iter().zip(tables.handles) {
        for proxy in handles.iter().filter_map(Handle::triggers) {
            assert!(holder.is_alive(), "the dead may trigger");
            assert!(proxy.exists(), "no proxy to trigger");
        }
    }
    for process in tables.processes {
        for proxy in process.objects.proxies {
            proxy_is_consistent(kernel, process, proxy);
        }
        for timer in process.objects.timers {
            timer_is_consistent(process, timer);
        }
        let rate: u32 = process.objects.timers.iter().map(Timer::rate).sum();
        assert_eq!(rate, process.timer_rate(), "a rate that no timers have");
        assert!(rate <= process.objects.timer_rate, "beyond the manifest");
    }
}

fn proxy_is_consistent(kernel: &Kernel, process: &Process, proxy: &'static Proxy) {
    assert!(!proxy.exists() || process.is_alive(), "a proxy of the dead");
    assert!(proxy.exists() || proxy.count() == 0, "triggers of no proxy");
    assert_eq!(
        proxy.count() != 0,
        proxy.is_queued(),
        "triggers that nobody is told of, or a notice of none"
    );
    let tables = kernel.tables();
    let slot = &tables.handles[usize::from(process.index)][usize::from(proxy.slot)];
    assert!(slot.purpose == Purpose::Own);
    let is_its = slot.triggers().is_some_and(|own| core::ptr::eq(own, proxy));
    assert_eq!(is_its, proxy.exists(), "a proxy without its owner's handle");
    if proxy.exists() {
        let channel = &tables.channels[usize::from(proxy.channel())];
        assert!(channel.owner.is(process), "a proxy of another's channel");
    }
}

fn timer_is_consistent(process: &Process, timer: &Timer) {
    assert!(!timer.exists() || process.is_alive(), "a timer of the dead");
    let runs = timer.deadline.at().is_some();
    assert!(timer.exists() || !runs, "no timer is due");
    assert!(runs || timer.rate() == 0, "a rate of what does not run");
}
