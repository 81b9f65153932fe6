//! Parquet's hybrid of runs and bit-packed groups of eight, for levels and indices.

use crate::headers::{varint, write_varint};
use crate::trouble::{NotMine, Outcome, ensure};

const GROUP: usize = 8;
/// Mean length of runs from which numbers are written as runs; a codec compresses shorter ones faster.
const RUN: usize = 512;
const ENDS: NotMine = NotMine("runs end too early");

/// Append `count` numbers of `bits` bits (0 to 32), each of them passed through `map`.
pub fn read(
    data: &[u8],
    bits: u32,
    count: usize,
    to: &mut Vec<u32>,
    map: impl Fn(u32) -> Outcome<u32>,
) -> Outcome<()> {
    ensure(bits <= 32, "an index has more than 32 bits")?;
    let (mut at, mut left) = (0, count);
    let width = bits.div_ceil(8) as usize;
    to.try_reserve(count).map_err(|_| NotMine("no memory"))?;
    while left > 0 {
        let (head, length) = varint(&data[at..]).ok_or(ENDS)?;
        at += length;
        let many = usize::try_from(head >> 1).map_err(|_| ENDS)?;
        ensure(many > 0, "an empty run")?;
        if head & 1 == 0 {
            let mut raw = [0; 4];
            raw[..width].copy_from_slice(data.get(at..at + width).ok_or(ENDS)?);
            at += width;
            let taken = many.min(left);
            let word = map(u32::from_le_bytes(raw))?;
            to.resize(to.len() + taken, word);
            left -= taken;
            continue;
        }
        let groups = many.min(left.div_ceil(GROUP));
        let bytes = groups.checked_mul(bits as usize).ok_or(ENDS)?;
        let packed = data.get(at..at + bytes.min(data.len() - at)).ok_or(ENDS)?;
        // a writer may leave out bytes that only the padding of the last group has
        let needed = (groups * GROUP)
            .min(left)
            .checked_mul(bits as usize)
            .ok_or(ENDS)?
            .div_ceil(8);
        ensure(packed.len() >= needed, ENDS.0)?;
        for group in 0..groups {
            let taken = left.min(GROUP);
            let numbers = unpack(&packed[(group * bits as usize).min(packed.len())..], bits);
            let mut mapped = [0; GROUP];
            for (number, found) in mapped.iter_mut().zip(&numbers[..taken]) {
                *number = map(*found)?;
            }
            to.extend_from_slice(&mapped[..taken]);
            left -= taken;
        }
        at = at
            .saturating_add(many.saturating_mul(bits as usize))
            .min(data.len());
    }
    Ok(())
}

/// Return the eight numbers of the group at the begin of `data`; missing bytes are zero.
#[inline(always)]
fn unpack(data: &[u8], bits: u32) -> [u32; GROUP] {
    let mut raw = [0u8; 32];
    let length = (bits as usize).min(data.len());
    raw[..length].copy_from_slice(&data[..length]);
    let mask = if bits == 32 {
        u32::MAX
    } else {
        (1 << bits) - 1
    };
    let mut found = [0; GROUP];
    if bits <= 8 {
        let word = u64::from_le_bytes(raw[..8].try_into().unwrap_or_default());
        for (place, number) in found.iter_mut().enumerate() {
            *number = (word >> (place as u32 * bits)) as u32 & mask;
        }
    } else if bits <= 16 {
        let word = u128::from_le_bytes(raw[..16].try_into().unwrap_or_default());
        for (place, number) in found.iter_mut().enumerate() {
            *number = (word >> (place as u32 * bits)) as u32 & mask;
        }
    } else {
        for (place, number) in found.iter_mut().enumerate() {
            let bit = place * bits as usize;
            let mut eight = [0; 8];
            let end = (bit / 8 + 8).min(raw.len());
            eight[..end - bit / 8].copy_from_slice(&raw[bit / 8..end]);
            *number = (u64::from_le_bytes(eight) >> (bit % 8)) as u32 & mask;
        }
    }
    found
}

/// Append the numbers, each below 2 to the power of `bits` (1 to 32): as one packed run, or as runs if these are long.
pub fn write(numbers: &[u32], bits: u32, to: &mut Vec<u8>) {
    if numbers.is_empty() {
        return; // as Arrow does for a page of nulls: readers differ in what they make of a run of nothing
    }
    let changes = numbers.windows(2).filter(|two| two[0] != two[1]).count();
    if changes * RUN >= numbers.len() {
        write_varint(((numbers.len().div_ceil(GROUP) as u64) << 1) | 1, to);
        for group in numbers.chunks(GROUP) {
            pack(group, bits, to);
        }
        return;
    }
    for run in numbers.chunk_by(|one, next| one == next) {
        write_varint((run.len() as u64) << 1, to);
        to.extend(&run[0].to_le_bytes()[..bits.div_ceil(8) as usize]);
    }
}

#[inline(always)]
fn pack(group: &[u32], bits: u32, to: &mut Vec<u8>) {
    if bits <= 8 {
        let mut word = 0u64;
        for (place, number) in group.iter().enumerate() {
            word |= u64::from(*number) << (place as u32 * bits);
        }
        to.extend(&word.to_le_bytes()[..bits as usize]);
        return;
    }
    if bits <= 16 {
        let mut word = 0u128;
        for (place, number) in group.iter().enumerate() {
            word |= u128::from(*number) << (place as u32 * bits);
        }
        to.extend(&word.to_le_bytes()[..bits as usize]);
        return;
    }
    let (mut pending, mut held, end) = (0u64, 0, to.len() + bits as usize);
    for number in group {
        pending |= u64::from(*number) << held;
        held += bits;
        while held >= 8 {
            to.push(pending as u8);
            pending >>= 8;
            held -= 8;
        }
    }
    to.push(pending as u8);
    to.resize(end, 0);
}
