use std::boxed::Box;

use riposte_abi::process_info::kind;
use safe_mmio::field;
use safe_mmio::fields::{ReadPureWrite, ReadWrite};

use crate::trap::hosted::{address, name, pointer};
use crate::{Peripheral, PeripheralError};

#[repr(C, align(16))]
struct Timer {
    control: ReadWrite<u32>,
    value: ReadPureWrite<u32>,
    reserved: [u32; 2],
}

/// The devices of all tests are one process's: each test has one of its own, behind those of the others.
fn device(position: usize, called: &'static str) -> u32 {
    for _ in 0..position {
        name(kind::PERIPHERAL, "another", 1);
    }
    let memory: &'static mut [Timer; 2] = Box::leak(Box::new(
        [const {
            Timer {
                control: ReadWrite(1),
                value: ReadPureWrite(2),
                reserved: [0; 2],
            }
        }; 2],
    ));
    let base = address(memory.as_ptr());
    name(kind::PERIPHERAL, called, base);
    name(kind::PERIPHERAL_SIZE, called, 24);
    name(kind::DEVICE, "acme-timer", base);
    base
}

#[test]
fn a_device_is_had_once_until_it_is_given_back() {
    let base = device(1, "timer");
    let timer = Peripheral::take("timer").unwrap();
    assert_eq!((timer.address(), timer.length()), (base, 24));
    assert_eq!(timer.kind(), "acme-timer");
    assert_eq!(
        Peripheral::take("timer").err(),
        Some(PeripheralError::Taken)
    );
    drop(timer);
    assert!(Peripheral::take("timer").is_ok());
}

#[test]
fn registers_are_the_devices_and_nobody_gets_them_twice() {
    let base = device(2, "timer");
    let timer = Peripheral::take("timer").unwrap();
    let mut timer = timer.registers::<Timer>().unwrap();
    field!(timer, control).write(7);
    assert_eq!(field!(timer, control).read(), 7);
    assert_eq!(field!(timer, value).read(), 2);
    // SAFETY: the test's own memory.
    assert_eq!(unsafe { pointer(base).cast::<u32>().read() }, 7);
    assert_eq!(
        Peripheral::take("timer").err(),
        Some(PeripheralError::Taken)
    );
}

#[test]
fn registers_that_do_not_fit_are_refused_and_the_device_is_free_again() {
    device(3, "timer");
    for _ in 0..2 {
        let timer = Peripheral::take("timer").unwrap();
        let refused = timer.registers::<[Timer; 2]>().err();
        assert_eq!(refused, Some(PeripheralError::TooShort));
    }
    let timer = Peripheral::take("timer").unwrap();
    assert_eq!(timer.words::<8>(17).err(), Some(PeripheralError::TooShort));
    assert_eq!(timer.words::<8>(2).err(), Some(PeripheralError::Alignment));
    let too_far = timer.words::<8>(usize::MAX).err();
    assert_eq!(too_far, Some(PeripheralError::TooShort));
    let words = timer.words::<8>(16).unwrap();
    words.write::<4>(9);
    assert_eq!(words.read::<4>(), 9);
}

/// Who has them alone may rely on that.
#[test]
fn registers_whose_words_are_shared_are_nobody_s_alone() {
    device(4, "timer");
    let timer = Peripheral::take("timer").unwrap();
    let words = timer.words::<8>(0).unwrap();
    let alone = timer.registers::<Timer>().err();
    assert_eq!(alone, Some(PeripheralError::Taken));
    let again = Peripheral::take("timer").unwrap();
    assert!(again.registers::<Timer>().is_err());
    words.write::<4>(9);
}

#[test]
fn a_device_that_the_manifest_lacks_is_said_with_what_to_write_there() {
    let missing = Peripheral::take("uart9").unwrap_err();
    let said = std::format!("{missing}");
    assert!(said.contains("`peripherals` of `hosted`"), "{said}");
}
