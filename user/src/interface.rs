//! What the code that [`macro@crate::interface`] generates stands on.
