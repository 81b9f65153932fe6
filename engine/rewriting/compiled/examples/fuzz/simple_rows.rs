//! Rows of outputs in their simple form.

use packhouse_compiled::column::{Form, Made};
use packhouse_compiled::headers::{self, Kind};
use packhouse_compiled::runs;

use crate::TEXTS;

/// Read an output in its simple form: pages of version 1, not compressed, levels and indices as runs.
pub fn rows_of(made: &Made, form: &Form) -> Vec<Option<Vec<u8>>> {
    let (mut at, mut words, mut rows) = (0, Vec::new(), Vec::new());
    while at < made.data.len() {
        let (header, length) = headers::read(&made.data[at..]).expect("a header of an output");
        let mut body = &made.data[at + length..at + length + header.stored];
        at += length + header.stored;
        if header.kind == Kind::Dictionary {
            words = values_of(body, header.values, form);
            continue;
        }
        let mut levels = vec![1; header.values];
        if form.is_optional {
            let end = 4 + u32::from_le_bytes(*body.first_chunk().expect("levels")) as usize;
            levels.clear();
            runs::read(&body[4..end], 1, header.values, &mut levels, Ok).expect("levels");
            body = &body[end..];
        }
        let count = levels.iter().filter(|level| **level == 1).count();
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
            levels
                .iter()
                .map(|level| (*level == 1).then(|| values.next().expect("a value"))),
        );
        assert_eq!(values.next(), None);
    }
    rows
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
