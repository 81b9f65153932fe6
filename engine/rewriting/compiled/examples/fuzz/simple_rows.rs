//! Rows of outputs in their simple form.

use packhouse_compiled::column::{Form, Made};
use packhouse_compiled::headers::{self, Kind};
use packhouse_compiled::runs;

use crate::TEXTS;

/// An entry of a column: its repetition and definition level, and its value.
pub type Entry = (u32, u32, Option<Vec<u8>>);

/// Read an output in its simple form: pages of version 1, not compressed, levels and indices as runs.
pub fn rows_of(made: &Made, form: &Form) -> Vec<Entry> {
    let (mut at, mut words, mut rows) = (0, Vec::new(), Vec::new());
    while at < made.data.len() {
        let (header, length) = headers::read(&made.data[at..]).expect("a header of an output");
        let mut body = &made.data[at + length..at + length + header.stored];
        at += length + header.stored;
        if header.kind == Kind::Dictionary {
            words = values_of(body, header.values, form);
            continue;
        }
        let greatest = form.greatest;
        let repetitions = levels_of(&mut body, header.values, greatest.repetition);
        let levels = levels_of(&mut body, header.values, greatest.definition);
        let has_value = |level: &u32| *level == greatest.definition;
        let count = levels.iter().filter(|level| has_value(level)).count();
        let mut values = if header.encoding == headers::PLAIN {
            values_of(body, count, form)
        } else {
            let mut numbers = Vec::new();
            runs::read(&body[1..], u32::from(body[0]), count, &mut numbers, Ok).expect("indices");
            numbers
                .iter()
                .map(|number| words[*number as usize].clone())
                .collect()
        }
        .into_iter();
        rows.extend(
            repetitions
                .into_iter()
                .zip(levels)
                .map(|(repetition, level)| {
                    let value = has_value(&level).then(|| values.next().expect("a value"));
                    (repetition, level, value)
                }),
        );
        assert_eq!(values.next(), None);
    }
    rows
}

/// Split off the levels of a page; they are 0 if the column has none.
fn levels_of(body: &mut &[u8], count: usize, greatest: u32) -> Vec<u32> {
    if greatest == 0 {
        return vec![0; count];
    }
    let end = 4 + u32::from_le_bytes(*body.first_chunk().expect("levels")) as usize;
    let (bits, mut levels) = (32 - greatest.leading_zeros(), Vec::new());
    runs::read(&body[4..end], bits, count, &mut levels, Ok).expect("levels");
    *body = &body[end..];
    levels
}

pub fn values_of(mut body: &[u8], count: usize, form: &Form) -> Vec<Vec<u8>> {
    let mut made = Vec::with_capacity(count);
    for _ in 0..count {
        let mut length = match form.physical_type {
            1 | 4 => 4,
            3 => 12,
            7 => form.width,
            _ => 8,
        };
        if form.physical_type == TEXTS {
            length = u32::from_le_bytes(*body.first_chunk().expect("a length")) as usize;
            body = &body[4..];
        }
        made.push(body[..length].to_vec());
        body = &body[length..];
    }
    assert!(body.is_empty());
    made
}
