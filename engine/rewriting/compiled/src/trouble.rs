//! Why a column is left to the other path. Nothing is decided here about damage: Arrow reads such a column, and names it.

/// The reason in a few words, for tests and logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotMine(pub &'static str);

pub type Outcome<T> = Result<T, NotMine>;

/// Fail with this reason unless the condition holds.
pub fn ensure(holds: bool, reason: &'static str) -> Outcome<()> {
    if holds { Ok(()) } else { Err(NotMine(reason)) }
}
