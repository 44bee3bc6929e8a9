//! Arguments and results that travel in message words.

/// A value of one or two words.
pub trait Scalar: Sized {
    /// The value's low and high word; the high one is 0 if the value has only one.
    fn into_words(self) -> [u32; 2];

    /// The value with these words, whoever made them: what they mean too much is cut off.
    fn from_words(words: [u32; 2]) -> Self;
}

macro_rules! one_word {
    ($($name:ty),*) => {$(
        impl Scalar for $name {
            #[inline(always)]
            fn into_words(self) -> [u32; 2] {
                [self as u32, 0]
            }

            #[inline(always)]
            fn from_words([low, _]: [u32; 2]) -> Self {
                low as $name
            }
        }
    )*};
}

one_word!(u8, u16, u32, usize, i8, i16, i32, isize);

impl Scalar for bool {
    #[inline(always)]
    fn into_words(self) -> [u32; 2] {
        [self.into(), 0]
    }

    #[inline(always)]
    fn from_words([low, _]: [u32; 2]) -> Self {
        low != 0
    }
}

impl Scalar for f32 {
    #[inline(always)]
    fn into_words(self) -> [u32; 2] {
        [self.to_bits(), 0]
    }

    #[inline(always)]
    fn from_words([low, _]: [u32; 2]) -> Self {
        f32::from_bits(low)
    }
}

impl Scalar for u64 {
    #[inline(always)]
    fn into_words(self) -> [u32; 2] {
        [self as u32, (self >> 32) as u32]
    }

    #[inline(always)]
    fn from_words([low, high]: [u32; 2]) -> Self {
        u64::from(low) | (u64::from(high) << 32)
    }
}

impl Scalar for i64 {
    #[inline(always)]
    fn into_words(self) -> [u32; 2] {
        self.cast_unsigned().into_words()
    }

    #[inline(always)]
    fn from_words(words: [u32; 2]) -> Self {
        u64::from_words(words).cast_signed()
    }
}

#[cfg(test)]
mod tests {
    use super::Scalar;

    #[test]
    fn what_went_into_words_comes_out_of_them() {
        fn same<T: Scalar + Copy + PartialEq + core::fmt::Debug>(value: T) {
            assert_eq!(T::from_words(value.into_words()), value);
        }
        same(u8::MAX);
        same(i8::MIN);
        same(-2_i16);
        same(i32::MIN);
        same(u64::MAX - 5);
        same(i64::MIN + 3);
        same(true);
        same(-0.5_f32);
    }
}
