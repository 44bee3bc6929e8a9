//! The state of objects, told beside their fields.
//!
//! Tests save the state of a kernel, put it back, and compare it ([`crate::snapshot`]). What that takes
//! is derived here from the definition of each object, so that no field can be forgotten: a `Cell` is
//! state, and a field of another type never changes. A field whose type is neither does not compile.
//! Without the feature `snapshot` nothing is derived.
//!
//! A field may say more of itself:
//!
//! * `as detail`: it is put back, but two states that differ in it behave alike
//! * `as shape(method)`: in the shape of a state it is what this method of the object returns
//! * `as time`: a moment; in the shape of a state only its distance from now counts
//! * `as link`: it leads to an object that another table holds
//! * `as kept`: it stays as it is when a state is put back, since it is true in every one
//! * `where method`: in the shape of a state it counts only while this method of the object says so

/// Defines an object, and derives how its state is saved, put back and compared.
macro_rules! state {
    (
        $(#[$about:meta])*
        $sight:vis struct $name:ident {$(
            $(#[$says:meta])*
            $seen:vis $field:ident: $type:ty
                $(as $how:ident $(($by:ident))?)? $(where $when:ident)?
        ),* $(,)?}
    ) => {
        $(#[$about])*
        $sight struct $name {$(
            $(#[$says])*
            $seen $field: $type
        ),*}

        #[cfg(feature = "snapshot")]
        impl crate::snapshot::State for $name {
            fn pass(&self, pass: &mut impl crate::snapshot::Pass) {
                $(
                    $(if !pass.leaves_out(|| self.$when()))? {
                        state!(@ self, pass, $field $(, $how $(($by))?)?);
                    }
                )*
            }
        }
    };
    (@ $object:ident, $pass:ident, $field:ident) => {
        crate::snapshot::State::pass(&$object.$field, $pass)
    };
    (@ $object:ident, $pass:ident, $field:ident, shape($by:ident)) => {
        $pass.cell_with_shape(&$object.$field, || $object.$by())
    };
    (@ $object:ident, $pass:ident, $field:ident, $how:ident) => {
        $pass.$how(&$object.$field)
    };
}

/// Defines a type whose values state can hold, and derives how they are written and read.
macro_rules! value {
    (
        $(#[$about:meta])*
        $sight:vis enum $name:ident {$(
            $(#[$says:meta])*
            $variant:ident $(($first:ty $(, $second:ty)?))?
        ),* $(,)?}
    ) => {
        $(#[$about])*
        $sight enum $name {$(
            $(#[$says])*
            $variant $(($first $(, $second)?))?
        ),*}

        value!(@ enum $name { $($variant $((first: $first $(, second: $second)?))?),* });
    };
    (
        $(#[$about:meta])*
        $sight:vis struct $name:ident {$(
            $(#[$says:meta])*
            $seen:vis $field:ident: $type:ty
        ),* $(,)?}
    ) => {
        $(#[$about])*
        $sight struct $name {$(
            $(#[$says])*
            $seen $field: $type
        ),*}

        value!(@ struct $name { $($field),* });
    };
    (@ enum $name:ident { $($variant:ident $(($($part:ident: $type:ty),*))?),* }) => {
        #[cfg(feature = "snapshot")]
        impl crate::snapshot::Word for $name {
            fn pack(self, to: &mut crate::snapshot::Writer) {
                enum Kind { $($variant),* }
                match self {$(
                    $name::$variant $(($($part),*))? => {
                        to.byte(Kind::$variant as u8);
                        $($($part.pack(to);)*)?
                    }
                )*}
            }

            fn unpack(from: &mut crate::snapshot::Reader) -> Self {
                enum Kind { $($variant),* }
                let kind = from.byte();
                $(if kind == Kind::$variant as u8 {
                    return $name::$variant $(($(<$type as crate::snapshot::Word>::unpack(from)),*))?;
                })*
                panic!("the snapshot of another system")
            }
        }
    };
    (@ struct $name:ident { $($field:ident),* }) => {
        #[cfg(feature = "snapshot")]
        impl crate::snapshot::Word for $name {
            fn pack(self, to: &mut crate::snapshot::Writer) {
                let $name { $($field),* } = self;
                $($field.pack(to);)*
            }

            fn unpack(from: &mut crate::snapshot::Reader) -> Self {
                $name { $($field: crate::snapshot::Word::unpack(from)),* }
            }
        }
    };
}
