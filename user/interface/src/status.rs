//! An interface's own errors, and the statuses as which they travel.

use syn::{Data, DeriveInput, Error, Expr, ExprLit, Fields, Ident, Lit, Result, Variant};

/// The highest statuses are those with which generated servers refuse requests.
const RESERVED: u32 = u32::MAX - 15;

/// An error of an interface's own.
pub struct Failure {
    /// Its name.
    pub name: Ident,
    /// What it can be.
    pub cases: Vec<Case>,
}

/// One of the things that an error can be.
pub struct Case {
    /// Its name; none for a structure, which is one thing.
    pub name: Option<Ident>,
    /// Its status.
    pub status: u32,
}

impl Failure {
    /// Reads an enumeration without fields, or a structure without any.
    ///
    /// # Errors
    /// If it is anything else, or two cases have the same status, or one has that of success.
    pub fn of(item: &DeriveInput) -> Result<Failure> {
        let cases = match &item.data {
            Data::Struct(structure) if matches!(structure.fields, Fields::Unit) => vec![Case {
                name: None,
                status: 1,
            }],
            Data::Enum(enumeration) => cases(enumeration.variants.iter())?,
            _ => {
                return Err(Error::new_spanned(
                    &item.ident,
                    "an error travels as a number: it is an enumeration, or a structure without fields",
                ));
            }
        };
        Ok(Failure {
            name: item.ident.clone(),
            cases,
        })
    }
}

/// Numbers as the compiler counts, but from 1 on.
fn cases<'a>(variants: impl Iterator<Item = &'a Variant>) -> Result<Vec<Case>> {
    let mut next = 1;
    let mut cases = vec![];
    for variant in variants {
        if !matches!(variant.fields, Fields::Unit) {
            let message = "an error travels as a number: its cases have no fields";
            return Err(Error::new_spanned(variant, message));
        }
        let status = match &variant.discriminant {
            Some((_, value)) => number(value)?,
            None => next,
        };
        if status == 0 || status >= RESERVED {
            let message = format!("a status is between 1 and {}: 0 is success", RESERVED - 1);
            return Err(Error::new_spanned(variant, message));
        }
        if cases.iter().any(|case: &Case| case.status == status) {
            let message = format!("another case has the status {status}");
            return Err(Error::new_spanned(variant, message));
        }
        next = status + 1;
        cases.push(Case {
            name: Some(variant.ident.clone()),
            status,
        });
    }
    Ok(cases)
}

fn number(value: &Expr) -> Result<u32> {
    match value {
        Expr::Lit(ExprLit {
            lit: Lit::Int(literal),
            ..
        }) => literal.base10_parse(),
        _ => Err(Error::new_spanned(value, "a status is a plain number")),
    }
}
