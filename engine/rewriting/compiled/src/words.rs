//! The distinct values of a column: one dictionary of the dictionaries of all inputs.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::trouble::{NotMine, Outcome, ensure};

const LENGTH: usize = 4;
const MEMORY: NotMine = NotMine("no memory");

/// How values are laid out in plain encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    Fixed(usize),
    Texts,
}

impl Layout {
    /// Fail unless the data may have `count` values, before memory is taken for them.
    fn ensure_count(&self, data: &[u8], count: usize) -> Outcome<()> {
        let least = match self {
            Layout::Fixed(width) => *width,
            Layout::Texts => LENGTH,
        };
        ensure(
            count <= data.len() / least,
            "fewer values than its header says",
        )
    }

    /// Split off the first value of plain data; return it without its length, and the rest.
    pub fn first<'a>(&self, data: &'a [u8]) -> Outcome<(&'a [u8], &'a [u8])> {
        const ENDS: NotMine = NotMine("plain values end too early");
        let (length, data) = match self {
            Layout::Fixed(width) => (*width, data),
            Layout::Texts => {
                let (head, rest) = data.split_first_chunk::<LENGTH>().ok_or(ENDS)?;
                (u32::from_le_bytes(*head) as usize, rest)
            }
        };
        data.split_at_checked(length).ok_or(ENDS)
    }
}

/// Why a dictionary is not continued.
pub const FULL: NotMine = NotMine("the dictionary is too large");

/// The dictionary of one input, of which values are taken.
pub struct Listed {
    plain: Vec<u8>,
    ends: Vec<usize>,
}

impl Listed {
    /// Read `count` values in plain encoding.
    pub fn read(layout: Layout, data: &[u8], count: usize) -> Outcome<Self> {
        layout.ensure_count(data, count)?;
        let (mut rest, mut ends) = (data, Vec::new());
        ends.try_reserve_exact(count).map_err(|_| MEMORY)?;
        for _ in 0..count {
            rest = layout.first(rest)?.1;
            ends.push(data.len() - rest.len());
        }
        ensure(rest.is_empty(), "more values than its header says")?;
        let plain = data.to_vec();
        Ok(Self { plain, ends })
    }

    /// Return a value in plain encoding.
    pub fn get(&self, index: u32) -> Option<&[u8]> {
        let end = *self.ends.get(index as usize)?;
        let begin = index
            .checked_sub(1)
            .map_or(0, |before| self.ends[before as usize]);
        Some(&self.plain[begin..end])
    }
}

/// Distinct values in the order of their first occurrence. The hashes of a process are seeded by chance, so that a file
/// can't be made to collide.
pub struct Words {
    layout: Layout,
    most_bytes: usize,
    plain: Vec<u8>,
    starts: Vec<usize>,
    table: HashTable<u32>,
    hashes: DefaultHashBuilder,
}

impl Words {
    /// Make an empty dictionary that takes at most `most_bytes` in plain encoding.
    pub fn new(layout: Layout, most_bytes: usize) -> Self {
        let (plain, starts, table, hashes) = Default::default();
        Self {
            layout,
            most_bytes,
            plain,
            starts,
            table,
            hashes,
        }
    }

    /// Return the number of a value, which is added if it is new.
    pub fn number(&mut self, word: &[u8]) -> Outcome<u32> {
        let Self {
            layout,
            plain,
            starts,
            table,
            hashes,
            most_bytes,
        } = self;
        let hash = hashes.hash_one(word);
        if let Some(found) = table.find(hash, |number| at(*layout, plain, starts, *number) == word)
        {
            return Ok(*found);
        }
        let begins = if *layout == Layout::Texts { LENGTH } else { 0 };
        ensure(plain.len() + begins + word.len() <= *most_bytes, FULL.0)?;
        let number = u32::try_from(table.len()).map_err(|_| NotMine("too many words"))?;
        table.insert_unique(hash, number, |number| {
            hashes.hash_one(at(*layout, plain, starts, *number))
        });
        if *layout == Layout::Texts {
            plain.extend((word.len() as u32).to_le_bytes());
            starts.push(plain.len());
        }
        plain.extend(word);
        Ok(number)
    }

    /// Return the numbers of `count` values in plain encoding.
    pub fn numbers(&mut self, mut data: &[u8], count: usize) -> Outcome<Vec<u32>> {
        self.layout.ensure_count(data, count)?;
        let mut found = Vec::new();
        found.try_reserve_exact(count).map_err(|_| MEMORY)?;
        for _ in 0..count {
            let (word, rest) = self.layout.first(data)?;
            found.push(self.number(word)?);
            data = rest;
        }
        ensure(data.is_empty(), "more values than its header says")?;
        Ok(found)
    }

    /// Return a value without its length.
    pub fn word(&self, number: u32) -> &[u8] {
        at(self.layout, &self.plain, &self.starts, number)
    }

    /// Return all values in plain encoding.
    pub fn plain(&self) -> &[u8] {
        &self.plain
    }

    /// Append a value in plain encoding.
    pub fn write(&self, number: u32, to: &mut Vec<u8>) {
        let word = self.word(number);
        if self.layout == Layout::Texts {
            to.extend((word.len() as u32).to_le_bytes());
        }
        to.extend(word);
    }

    /// Return the bits of a number, at least one.
    pub fn bits(&self) -> u32 {
        (usize::BITS - self.count().saturating_sub(1).leading_zeros()).max(1)
    }

    /// Return how many values there are.
    pub fn count(&self) -> usize {
        self.table.len()
    }
}

/// Return a word without its length.
#[inline(always)]
fn at<'a>(layout: Layout, plain: &'a [u8], starts: &[usize], number: u32) -> &'a [u8] {
    match layout {
        Layout::Fixed(width) => &plain[number as usize * width..][..width],
        Layout::Texts => {
            let start = starts[number as usize];
            let length = plain[start - LENGTH..]
                .first_chunk()
                .map_or(0, |raw| u32::from_le_bytes(*raw));
            &plain[start..start + length as usize]
        }
    }
}
