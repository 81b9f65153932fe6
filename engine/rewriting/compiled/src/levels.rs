//! Definition and repetition levels of the entries of a column: which have a value, and where rows begin.

use crate::headers;
use crate::runs;
use crate::trouble::{NotMine, Outcome, ensure};

const LENGTH: usize = 4;
/// The greatest levels of a column, which are kept in bytes.
const MOST_LEVEL: u32 = 250;
const MEMORY: NotMine = NotMine("no memory");

/// The greatest definition and repetition level of a column; a flat column has (0, 0) or, with nulls, (1, 0).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Greatest {
    pub definition: u32,
    pub repetition: u32,
}

impl Greatest {
    pub fn is_flat(self) -> bool {
        self.definition <= 1 && self.repetition == 0
    }
}

/// The levels of a page as it stores them: runs of each, none where the column has no such level.
#[derive(Debug, Clone, Copy)]
pub struct Stored<'a> {
    pub repetitions: &'a [u8],
    pub definitions: &'a [u8],
}

/// The levels of all entries so far. A flat column has none while there is no null; then `valid` has them.
pub struct Levels {
    greatest: Greatest,
    valid: Vec<bool>,
    definitions: Vec<u8>,
    repetitions: Vec<u8>,
    pub entries: usize,
    pub rows: usize,
    pub nulls: usize,
    read: Vec<u32>,
}

impl Levels {
    pub fn new(greatest: Greatest) -> Outcome<Self> {
        ensure(
            greatest.definition <= MOST_LEVEL && greatest.repetition <= greatest.definition,
            "levels of a column",
        )?;
        let (valid, definitions, repetitions, read) = Default::default();
        Ok(Self {
            greatest,
            valid,
            definitions,
            repetitions,
            entries: 0,
            rows: 0,
            nulls: 0,
            read,
        })
    }

    /// Add the levels of `count` entries; `has_levels`: false for a required input of a flat column.
    pub fn add(&mut self, stored: Stored, count: usize, has_levels: bool) -> Outcome<()> {
        if self.greatest.is_flat() {
            return self.add_flat(stored.definitions, count, has_levels);
        }
        let before = self.entries;
        if self.greatest.repetition > 0 {
            self.read_levels(stored.repetitions, self.greatest.repetition, count)?;
            let begins = self.read.iter().filter(|level| **level == 0).count();
            self.repetitions.try_reserve(count).map_err(|_| MEMORY)?;
            self.repetitions
                .extend(self.read.iter().map(|level| *level as u8));
            ensure(
                before > 0 || self.repetitions.first() == Some(&0),
                "a first entry within a row",
            )?;
            self.rows += begins;
        } else {
            self.rows += count;
        }
        self.read_levels(stored.definitions, self.greatest.definition, count)?;
        let most = self.greatest.definition;
        self.nulls += self.read.iter().filter(|level| **level < most).count();
        self.definitions.try_reserve(count).map_err(|_| MEMORY)?;
        self.definitions
            .extend(self.read.iter().map(|level| *level as u8));
        self.entries += count;
        Ok(())
    }

    /// Read levels into `read`.
    fn read_levels(&mut self, data: &[u8], greatest: u32, count: usize) -> Outcome<()> {
        self.read.clear();
        let level = |found: u32| {
            ensure(found <= greatest, "a level of another column")?; // a run may hold any byte
            Ok(found)
        };
        runs::read(data, bits(greatest), count, &mut self.read, level)
    }

    fn add_flat(&mut self, data: &[u8], count: usize, has_levels: bool) -> Outcome<()> {
        self.read.clear();
        if has_levels {
            self.read_levels(data, 1, count)?;
        }
        let nulls = self.read.iter().filter(|level| **level == 0).count();
        if nulls > 0 || !self.valid.is_empty() {
            let missing = self.entries + count - self.valid.len();
            self.valid.try_reserve(missing).map_err(|_| MEMORY)?;
            self.valid.resize(self.entries, true); // those before
            self.valid.extend(self.read.iter().map(|level| *level == 1));
            self.valid.resize(self.entries + count, true); // of a required input
        }
        self.entries += count;
        self.rows += count;
        self.nulls += nulls;
        Ok(())
    }

    pub fn has_value(&self, entry: usize) -> bool {
        if self.definitions.is_empty() {
            self.valid.is_empty() || self.valid[entry]
        } else {
            u32::from(self.definitions[entry]) == self.greatest.definition
        }
    }

    /// Return whether a row begins at an entry, or all have ended before.
    pub fn is_boundary(&self, entry: usize) -> bool {
        self.repetitions.get(entry).is_none_or(|level| *level == 0)
    }

    /// Return the first entry from `at` on at which a row begins, the number of entries without one.
    pub fn boundary(&self, at: usize) -> usize {
        let found = (at..self.entries).find(|entry| self.is_boundary(*entry));
        found.unwrap_or(self.entries)
    }

    /// Append the levels of some entries as a page of version 1 has them; return how many entries have a value.
    pub fn write(&self, start: usize, entries: usize, to: &mut Vec<u8>) -> usize {
        let end = start + entries;
        if !self.definitions.is_empty() {
            if self.greatest.repetition > 0 {
                write_levels(
                    &self.repetitions[start..end],
                    bits(self.greatest.repetition),
                    to,
                );
            }
            let levels = &self.definitions[start..end];
            write_levels(levels, bits(self.greatest.definition), to);
            return (start..end).filter(|entry| self.has_value(*entry)).count();
        }
        let count = if self.valid.is_empty() {
            entries
        } else {
            self.valid[start..end].iter().filter(|one| **one).count()
        };
        if self.greatest.definition > 0 && count == entries {
            let begin = to.len();
            to.extend([0; LENGTH]);
            headers::write_varint((entries as u64) << 1, to);
            to.push(1);
            set_length(begin, to);
        } else if self.greatest.definition > 0 {
            let levels: Vec<u8> = self.valid[start..end]
                .iter()
                .map(|one| u8::from(*one))
                .collect();
            write_levels(&levels, 1, to);
        }
        count
    }
}

fn write_levels(levels: &[u8], bits: u32, to: &mut Vec<u8>) {
    let begin = to.len();
    to.extend([0; LENGTH]);
    let levels: Vec<u32> = levels.iter().map(|level| u32::from(*level)).collect();
    runs::write(&levels, bits, to);
    set_length(begin, to);
}

fn set_length(begin: usize, to: &mut [u8]) {
    let length = (to.len() - begin - LENGTH) as u32;
    to[begin..begin + LENGTH].copy_from_slice(&length.to_le_bytes());
}

/// Return the bits of a level.
fn bits(greatest: u32) -> u32 {
    u32::BITS - greatest.leading_zeros()
}

/// Split off levels with their length before them, as pages of version 1 have them.
pub fn split_first(data: &[u8]) -> Outcome<(&[u8], &[u8])> {
    let (head, rest) = data
        .split_first_chunk::<LENGTH>()
        .ok_or(NotMine("a page without levels"))?;
    rest.split_at_checked(u32::from_le_bytes(*head) as usize)
        .ok_or(NotMine("levels leave their page"))
}
