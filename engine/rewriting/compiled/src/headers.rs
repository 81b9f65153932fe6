//! Page headers in Thrift's compact protocol; field numbers are those of `parquet.thrift`.
//!
//! Only fields that the format defines, each of its wire type, are accepted: no checksum covers a header, and readers
//! differ in what they skip.

use crate::trouble::{NotMine, Outcome, ensure};

pub const PLAIN: u32 = 0;
pub const PLAIN_DICTIONARY: u32 = 2;
pub const RLE: u32 = 3;
pub const RLE_DICTIONARY: u32 = 8;
const BIT_PACKED: u32 = 4;

pub(crate) const TRUE: u8 = 1;
pub(crate) const FALSE: u8 = 2;
pub(crate) const I32: u8 = 5;
pub(crate) const I64: u8 = 6;
pub(crate) const BINARY: u8 = 8;
pub(crate) const STRUCT: u8 = 12;
/// No field has this number.
const NONE: i64 = -1;

const ENDS: NotMine = NotMine("a page header ends too early");
const FORM: NotMine = NotMine("a page header has another form");

/// What a page header says about its page; sizes in bytes, those of levels included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    pub size: usize,
    pub stored: usize,
    pub checksum: Option<u32>,
    pub values: usize,
    pub encoding: u32,
    pub kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Dictionary,
    Data {
        definitions_are_rle: bool,
        repetitions_are_rle: bool,
    },
    DataV2 {
        nulls: usize,
        rows: usize,
        definitions: usize,
        repetitions: usize,
        is_compressed: bool,
    },
}

/// Reads Thrift's compact protocol from the begin of `data`.
pub(crate) struct Reader<'a> {
    pub(crate) data: &'a [u8],
    pub(crate) at: usize,
}

impl Reader<'_> {
    pub(crate) fn byte(&mut self) -> Outcome<u8> {
        let found = *self.data.get(self.at).ok_or(ENDS)?;
        self.at += 1;
        Ok(found)
    }

    pub(crate) fn varint(&mut self) -> Outcome<u64> {
        let (value, length) = varint(&self.data[self.at.min(self.data.len())..]).ok_or(ENDS)?;
        self.at += length;
        Ok(value)
    }

    pub(crate) fn integer(&mut self) -> Outcome<i64> {
        let raw = self.varint()?;
        Ok(((raw >> 1) as i64) ^ -((raw & 1) as i64))
    }

    pub(crate) fn i32(&mut self) -> Outcome<i32> {
        i32::try_from(self.integer()?).map_err(|_| FORM)
    }

    /// Return number and wire type of the next field, None at the end of the struct.
    pub(crate) fn field(&mut self, last: &mut i64) -> Outcome<Option<(i64, u8)>> {
        let head = self.byte()?;
        if head == 0 {
            return Ok(None);
        }
        let step = i64::from(head >> 4);
        *last = if step == 0 {
            self.integer()?
        } else {
            *last + step
        };
        ensure(i16::try_from(*last).is_ok(), FORM.0)?;
        Ok(Some((*last, head & 15)))
    }

    /// Read a struct whose fields up to `N - 1` are integers, except one `boolean`, and one struct, `statistics`.
    fn numbers<const N: usize>(
        &mut self,
        boolean: i64,
        statistics: i64,
    ) -> Outcome<[Option<i32>; N]> {
        let (mut found, mut last) = ([None; N], 0);
        while let Some((number, kind)) = self.field(&mut last)? {
            if number == statistics && kind == STRUCT {
                self.skip_statistics()?;
                continue;
            }
            let place = usize::try_from(number)
                .ok()
                .filter(|place| *place < N)
                .ok_or(FORM)?;
            ensure(found[place].is_none(), FORM.0)?;
            found[place] = Some(match kind {
                I32 if number != boolean => self.i32()?,
                TRUE if number == boolean => 1,
                FALSE if number == boolean => 0,
                _ => return Err(FORM),
            });
        }
        Ok(found)
    }

    fn skip_statistics(&mut self) -> Outcome<()> {
        let mut last = 0;
        while let Some((_, kind)) = self.field(&mut last)? {
            match kind {
                TRUE | FALSE => {}
                I64 => drop(self.varint()?),
                BINARY => {
                    let length = usize::try_from(self.varint()?).map_err(|_| ENDS)?;
                    self.at = self
                        .at
                        .checked_add(length)
                        .filter(|end| *end <= self.data.len())
                        .ok_or(ENDS)?;
                }
                _ => return Err(FORM),
            }
        }
        Ok(())
    }
}

/// Return a variable-length number and its length in bytes.
pub fn varint(data: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0u64;
    for (place, byte) in data.iter().take(10).enumerate() {
        value |= u64::from(byte & 127).checked_shl(7 * place as u32)?;
        if byte & 128 == 0 {
            return Some((value, place + 1));
        }
    }
    None
}

/// Return the header at the begin of `data`, and its length.
pub fn read(data: &[u8]) -> Outcome<(Header, usize)> {
    let mut reader = Reader { data, at: 0 };
    let (mut top, mut detail, mut last) = ([None; 5], None, 0);
    while let Some((number, kind)) = reader.field(&mut last)? {
        match (number, kind) {
            (1..=4, I32) => {
                let raw = reader.i32()?;
                ensure(top[number as usize].replace(raw).is_none(), FORM.0)?;
            }
            (5, STRUCT) => ensure(
                detail.replace((5, reader.numbers::<9>(NONE, 5)?)).is_none(),
                FORM.0,
            )?,
            (7, STRUCT) => ensure(
                detail.replace((7, reader.numbers::<9>(3, NONE)?)).is_none(),
                FORM.0,
            )?,
            (8, STRUCT) => ensure(
                detail.replace((8, reader.numbers::<9>(7, 8)?)).is_none(),
                FORM.0,
            )?,
            _ => return Err(FORM),
        }
    }
    let [_, kind, size, stored, checksum] = top;
    let (field, found) = detail.ok_or(FORM)?;
    let length = |value: Option<i32>| usize::try_from(value.ok_or(FORM)?).map_err(|_| FORM);
    let encoding = length(if field == 8 { found[4] } else { found[2] })? as u32;
    let kind = match (kind, field) {
        (Some(0), 5) => {
            let named = [length(found[3])? as u32, length(found[4])? as u32];
            ensure(
                named.iter().all(|one| [RLE, BIT_PACKED].contains(one)),
                FORM.0,
            )?;
            Kind::Data {
                definitions_are_rle: named[0] == RLE,
                repetitions_are_rle: named[1] == RLE,
            }
        }
        (Some(2), 7) => Kind::Dictionary,
        (Some(3), 8) => Kind::DataV2 {
            nulls: length(found[2])?,
            rows: length(found[3])?,
            definitions: length(found[5])?,
            repetitions: length(found[6])?,
            is_compressed: found[7] != Some(0),
        },
        _ => return Err(FORM),
    };
    let checksum = checksum.map(|raw| raw as u32);
    let header = Header {
        size: length(size)?,
        stored: length(stored)?,
        checksum,
        values: length(found[1])?,
        encoding,
        kind,
    };
    Ok((header, reader.at))
}

/// Append a variable-length number.
pub fn write_varint(mut value: u64, to: &mut Vec<u8>) {
    while value >= 128 {
        to.push((value as u8) | 128);
        value >>= 7;
    }
    to.push(value as u8);
}

fn write_fields(values: &[i32], to: &mut Vec<u8>) {
    for value in values {
        to.push(0x10 | I32);
        write_varint(u64::from(((value << 1) ^ (value >> 31)) as u32), to);
    }
}

/// Append the header of a dictionary page, or of a data page of version 1; its levels are runs.
pub fn write(
    values: i32,
    encoding: u32,
    sizes: (i32, i32),
    checksum: u32,
    is_dictionary: bool,
    to: &mut Vec<u8>,
) {
    write_fields(
        &[
            if is_dictionary { 2 } else { 0 },
            sizes.0,
            sizes.1,
            checksum as i32,
        ],
        to,
    );
    to.push(((if is_dictionary { 3 } else { 1 }) << 4) | STRUCT);
    write_fields(&[values, encoding as i32], to);
    if !is_dictionary {
        write_fields(&[RLE as i32, RLE as i32], to);
    }
    to.extend([0, 0]);
}
