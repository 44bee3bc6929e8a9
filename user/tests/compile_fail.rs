//! What must not compile, and what the compiler then says.

#[test]
fn misuse_of_the_library_does_not_compile_and_says_why() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
