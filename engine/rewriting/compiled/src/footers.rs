//! Footers of Parquet files that have the schema of one that is known: the facts of their column chunks.
//!
//! A footer is read only if all of it is as the format says: every field that is there has its number and wire type, none
//! is given twice, and no column is encrypted or in another file. Any other footer is left to the caller.

use crate::headers::{BINARY, FALSE, I32, I64, Reader, STRUCT, TRUE};
use crate::trouble::{NotMine, Outcome, ensure};

const I16: u8 = 4;
const LIST: u8 = 9;

const FORM: NotMine = NotMine("a footer has another form");
/// The most elements of a list, as the caller has for all readers.
const MOST_ELEMENTS: usize = 1 << 16;
/// The bits of `ChunkFacts::has`.
pub const NULLS: u32 = 1;
pub const LEAST: u32 = 2;
pub const GREATEST: u32 = 4;
pub const LEAST_SAYS_EXACT: u32 = 8;
pub const LEAST_IS_EXACT: u32 = 16;
pub const GREATEST_SAYS_EXACT: u32 = 32;
pub const GREATEST_IS_EXACT: u32 = 64;
pub const DICTIONARY: u32 = 128;
pub const STATISTICS: u32 = 256;

/// A schema that is known: the bytes of three fields of the footer (empty: absent), and each column's form.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    pub schema: &'a [u8],
    pub key_values: &'a [u8],
    pub orders: &'a [u8],
    pub forms: &'a [ColumnForm],
}

/// The physical type of a column, and its greatest definition and repetition level.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ColumnForm {
    pub physical_type: i32,
    pub definitions: i32,
    pub repetitions: i32,
}

/// A row group: rows, and bytes before compression.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GroupFacts {
    pub rows: i64,
    pub bytes: i64,
}

/// A column chunk. Bit n of `encodings` stands for the encoding n; bounds are places and lengths in the footer;
/// `definitions` and `repetitions` count the entries of histograms of levels.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ChunkFacts {
    pub physical_type: i32,
    pub codec: i32,
    pub encodings: u64,
    pub values: i64,
    pub size: i64,
    pub stored: i64,
    pub data_offset: i64,
    pub dictionary_offset: i64,
    pub nulls: i64,
    pub least_at: u32,
    pub least_length: u32,
    pub greatest_at: u32,
    pub greatest_length: u32,
    pub has: u32,
    pub definitions: u32,
    pub repetitions: u32,
    pub padding: u32,
}

/// What a footer has; the chunks of the first row group come first.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Footer {
    pub known: usize,
    pub rows: i64,
    pub groups: Vec<GroupFacts>,
    pub chunks: Vec<ChunkFacts>,
}

/// Read a footer: the metadata alone, all of it.
pub fn read(data: &[u8], known: &[Known]) -> Outcome<Footer> {
    let mut reader = Reader { data, at: 0 };
    let mut made = Footer::default();
    let (mut lists, mut rows, mut seen, mut last) = ([&[][..]; 3], None, 0u32, 0);
    while let Some((number, kind)) = reader.field(&mut last)? {
        once(&mut seen, number)?;
        match (number, kind) {
            (1, I32) => drop(reader.i32()?),
            (2, LIST) => lists[0] = reader.passed(kind)?,
            (3, I64) => rows = Some(reader.integer()?),
            (4, LIST) => {
                for _ in 0..reader.list(STRUCT)? {
                    reader.row_group(&mut made)?;
                }
            }
            (5, LIST) => lists[1] = reader.passed(kind)?,
            (6, BINARY) => drop(reader.bytes()?),
            (7, LIST) => lists[2] = reader.passed(kind)?,
            _ => return Err(FORM),
        }
    }
    ensure(seen & 0b11110 == 0b11110 && reader.at == data.len(), FORM.0)?;
    made.rows = rows.ok_or(FORM)?;
    let is_of = |one: &Known| [one.schema, one.key_values, one.orders] == lists;
    made.known = known.iter().position(is_of).ok_or(FORM)?;
    let forms = known[made.known].forms;
    ensure(made.chunks.len() == made.groups.len() * forms.len(), FORM.0)?;
    let mut pairs = made.chunks.iter().zip(forms.iter().cycle());
    ensure(pairs.all(|(chunk, form)| chunk.is_of(form)), FORM.0)?;
    Ok(made)
}

impl ChunkFacts {
    /// Return whether the chunk has the type of a column, and each histogram an entry for each level.
    fn is_of(&self, form: &ColumnForm) -> bool {
        let fits = |count: u32, most: i32| count == 0 || i64::from(count) == i64::from(most) + 1;
        self.physical_type == form.physical_type
            && fits(self.definitions, form.definitions)
            && fits(self.repetitions, form.repetitions)
    }
}

/// Fail if a field is there twice, or has a number that the format does not use.
fn once(seen: &mut u32, number: i64) -> Outcome<()> {
    let bit = u32::try_from(number)
        .ok()
        .and_then(|number| 1u32.checked_shl(number))
        .ok_or(FORM)?;
    ensure(*seen & bit == 0, FORM.0)?;
    *seen |= bit;
    Ok(())
}

impl<'a> Reader<'a> {
    /// Return the number of elements of a list of this kind.
    fn list(&mut self, wanted: u8) -> Outcome<usize> {
        let head = self.byte()?;
        ensure(head & 15 == wanted, FORM.0)?;
        let count = match head >> 4 {
            15 => usize::try_from(self.varint()?).map_err(|_| FORM)?,
            count => usize::from(count),
        };
        ensure(
            count <= MOST_ELEMENTS && count <= self.data.len() - self.at.min(self.data.len()),
            FORM.0,
        )?;
        Ok(count)
    }

    fn bytes(&mut self) -> Outcome<(usize, usize)> {
        let length = usize::try_from(self.varint()?).map_err(|_| FORM)?;
        let at = self.at;
        self.at = at
            .checked_add(length)
            .filter(|end| *end <= self.data.len())
            .ok_or(FORM)?;
        Ok((at, length))
    }

    /// Pass over a value, and return its bytes.
    fn passed(&mut self, kind: u8) -> Outcome<&'a [u8]> {
        let begin = self.at;
        self.pass(kind, 0)?;
        self.data.get(begin..self.at).ok_or(FORM)
    }

    fn pass(&mut self, kind: u8, depth: u32) -> Outcome<()> {
        const MOST_DEPTH: u32 = 16;
        ensure(depth < MOST_DEPTH, FORM.0)?;
        match kind {
            I16 | I32 | I64 => drop(self.varint()?),
            BINARY => drop(self.bytes()?),
            LIST => {
                let head = *self.data.get(self.at).ok_or(FORM)? & 15;
                for _ in 0..self.list(head)? {
                    match head {
                        TRUE | FALSE => drop(self.byte()?),
                        _ => self.pass(head, depth + 1)?,
                    }
                }
            }
            STRUCT => {
                let mut last = 0;
                while let Some((_, kind)) = self.field(&mut last)? {
                    if kind != TRUE && kind != FALSE {
                        self.pass(kind, depth + 1)?;
                    }
                }
            }
            3 => drop(self.byte()?),
            _ => return Err(FORM),
        }
        Ok(())
    }

    fn row_group(&mut self, to: &mut Footer) -> Outcome<()> {
        let (mut made, mut seen, mut last) = (GroupFacts::default(), 0, 0);
        while let Some((number, kind)) = self.field(&mut last)? {
            once(&mut seen, number)?;
            match (number, kind) {
                (1, LIST) => {
                    for _ in 0..self.list(STRUCT)? {
                        let chunk = self.chunk()?;
                        to.chunks.push(chunk);
                    }
                }
                (2, I64) => made.bytes = self.integer()?,
                (3, I64) => made.rows = self.integer()?,
                (4, LIST) => {
                    for _ in 0..self.list(STRUCT)? {
                        self.plain_struct(&[(1, I32), (2, TRUE), (3, TRUE)])?;
                    }
                }
                (5 | 6, I64) => drop(self.integer()?),
                (7, I16) => drop(self.integer()?),
                _ => return Err(FORM),
            }
        }
        ensure(seen & 0b1110 == 0b1110, FORM.0)?;
        to.groups.push(made);
        Ok(())
    }

    /// Pass over a struct that has exactly these fields; TRUE stands for either boolean.
    fn plain_struct(&mut self, fields: &[(i64, u8)]) -> Outcome<()> {
        let (mut count, mut last) = (0, 0);
        while let Some((number, kind)) = self.field(&mut last)? {
            let kind = if kind == FALSE { TRUE } else { kind };
            ensure(fields.get(count) == Some(&(number, kind)), FORM.0)?;
            if kind != TRUE {
                self.varint()?;
            }
            count += 1;
        }
        ensure(count == fields.len(), FORM.0)
    }

    /// Read a ColumnChunk that is in this file and not encrypted.
    fn chunk(&mut self) -> Outcome<ChunkFacts> {
        let (mut made, mut seen, mut last) = (ChunkFacts::default(), 0, 0);
        while let Some((number, kind)) = self.field(&mut last)? {
            once(&mut seen, number)?;
            match (number, kind) {
                (2 | 4 | 6, I64) | (5 | 7, I32) => drop(self.integer()?),
                (3, STRUCT) => made = self.metadata()?,
                _ => return Err(FORM),
            }
        }
        ensure(seen & 0b1100 == 0b1100, FORM.0)?;
        Ok(made)
    }

    fn metadata(&mut self) -> Outcome<ChunkFacts> {
        let (mut made, mut seen, mut last) = (ChunkFacts::default(), 0, 0);
        while let Some((number, kind)) = self.field(&mut last)? {
            once(&mut seen, number)?;
            match (number, kind) {
                (1, I32) => made.physical_type = self.i32()?,
                (2, LIST) => {
                    for _ in 0..self.list(I32)? {
                        let bit = u32::try_from(self.i32()?).ok().filter(|bit| *bit < 64);
                        made.encodings |= 1 << bit.ok_or(FORM)?;
                    }
                }
                (3, LIST) => {
                    for _ in 0..self.list(BINARY)? {
                        self.bytes()?;
                    }
                }
                (4, I32) => made.codec = self.i32()?,
                (5, I64) => made.values = self.integer()?,
                (6, I64) => made.size = self.integer()?,
                (7, I64) => made.stored = self.integer()?,
                (9, I64) => made.data_offset = self.integer()?,
                (11, I64) => {
                    made.dictionary_offset = self.integer()?;
                    made.has |= DICTIONARY;
                }
                (12, STRUCT) => self.statistics(&mut made)?,
                (13, LIST) => {
                    for _ in 0..self.list(STRUCT)? {
                        self.plain_struct(&[(1, I32), (2, I32), (3, I32)])?;
                    }
                }
                (10 | 14, I64) | (15, I32) => drop(self.integer()?),
                (16, STRUCT) => self.size_statistics(&mut made)?,
                _ => return Err(FORM),
            }
        }
        const REQUIRED: u32 = 0b10_1111_1110; // all fields up to 9 but the chunk's key-values
        ensure(seen & REQUIRED == REQUIRED, FORM.0)?;
        Ok(made)
    }

    fn statistics(&mut self, to: &mut ChunkFacts) -> Outcome<()> {
        let (mut seen, mut last) = (0, 0);
        to.has |= STATISTICS;
        while let Some((number, kind)) = self.field(&mut last)? {
            once(&mut seen, number)?;
            match (number, kind) {
                (1 | 2, BINARY) => drop(self.bytes()?),
                (3, I64) => {
                    to.nulls = self.integer()?;
                    to.has |= NULLS;
                }
                (4, I64) => drop(self.integer()?),
                (5, BINARY) => {
                    (to.greatest_at, to.greatest_length) = self.place()?;
                    to.has |= GREATEST;
                }
                (6, BINARY) => {
                    (to.least_at, to.least_length) = self.place()?;
                    to.has |= LEAST;
                }
                (7, TRUE) => to.has |= GREATEST_SAYS_EXACT | GREATEST_IS_EXACT,
                (7, FALSE) => to.has |= GREATEST_SAYS_EXACT,
                (8, TRUE) => to.has |= LEAST_SAYS_EXACT | LEAST_IS_EXACT,
                (8, FALSE) => to.has |= LEAST_SAYS_EXACT,
                _ => return Err(FORM),
            }
        }
        Ok(())
    }

    fn place(&mut self) -> Outcome<(u32, u32)> {
        let (at, length) = self.bytes()?;
        let fits = |number: usize| u32::try_from(number).map_err(|_| FORM);
        Ok((fits(at)?, fits(length)?))
    }

    fn size_statistics(&mut self, to: &mut ChunkFacts) -> Outcome<()> {
        let (mut seen, mut last) = (0, 0);
        while let Some((number, kind)) = self.field(&mut last)? {
            once(&mut seen, number)?;
            match (number, kind) {
                (1, I64) => drop(self.integer()?),
                (2, LIST) => to.repetitions = self.counts()?,
                (3, LIST) => to.definitions = self.counts()?,
                _ => return Err(FORM),
            }
        }
        Ok(())
    }

    fn counts(&mut self) -> Outcome<u32> {
        let count = self.list(I64)?;
        for _ in 0..count {
            self.varint()?;
        }
        Ok(count as u32) // at most `MOST_ELEMENTS`
    }
}
