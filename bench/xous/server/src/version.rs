//! The version, as the published server makes it.

use ticktimer_api::version::{SEMVER, TIMESTAMP};
use xous::ipc as xous_ipc;

// Library to retrieve the version number
#[rustfmt::skip]
pub(crate) fn get_version() -> ticktimer_api::VersionString {
    let mut v = ticktimer_api::VersionString {
        version: xous_ipc::String::new()
    };
    v.version.append(SEMVER).ok();
    v.version.append("\n").ok();
    v.version.append(TIMESTAMP).ok();
    v
}
