use std::string::ToString;

use riposte_abi::process_info::kind;
use riposte_abi::{Error, register};

use crate::testing::{failed, kernel};
use crate::trap::hosted::name;
use crate::{Channel, ConnectError};

#[test]
fn names_are_those_of_the_manifest_and_of_the_right_kind() {
    name(kind::SETTING, "echo", 12);
    name(kind::CHANNEL, "echo", 0x102);
    name(kind::CONNECTION, "echo", 1);
    let calls = kernel(|_| {
        let mut out = [0; 8];
        out[register::WORD0] = 0x301;
        out
    });
    assert_eq!(crate::setting("echo"), Ok(12));
    assert_eq!(crate::channel("echo"), Ok(Channel::from_handle(0x102)));
    assert_eq!(crate::own_channel(), Ok(Channel::from_handle(0x102)));
    assert_eq!(crate::connect("echo").unwrap().handle(), 0x301);
    assert_eq!(calls.borrow()[0].0[register::WORD0], 1);
}

#[test]
fn a_server_whose_channel_says_so_knows_its_clients_by_their_badges() {
    name(kind::PROCESS, "other", 7);
    name(kind::CLIENT, "sensor", 7);
    name(kind::CLIENT, "shell", 0x8000_0001);
    assert_eq!(crate::client_name(7), Some("sensor"));
    assert_eq!(crate::client_name(8), None);
    let clients: std::vec::Vec<_> = crate::clients().collect();
    assert_eq!(clients, [(7, "sensor"), (0x8000_0001, "shell")]);
}

#[test]
fn what_the_manifest_lacks_is_said_with_what_to_write_there() {
    let said = |error: &dyn core::fmt::Display| error.to_string();
    let missing = crate::connect("disk").unwrap_err();
    assert_eq!(
        said(&missing),
        "no connection `disk`: app.toml needs a [[connection]] from = \"hosted\", to = \"disk\""
    );
    assert!(said(&crate::channel("disk").unwrap_err()).contains("owner `hosted`"));
    assert!(said(&crate::setting("speed").unwrap_err()).contains("`settings` of `hosted`"));
}

#[test]
fn a_connection_that_the_kernel_does_not_open_is_its_error() {
    name(kind::CONNECTION, "dead", 0);
    kernel(|_| failed(Error::ServerDied));
    assert_eq!(
        crate::connect("dead"),
        Err(ConnectError::Kernel(Error::ServerDied))
    );
}
