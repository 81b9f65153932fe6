//! Mutants of footers, which are read.

use packhouse_compiled::footers::{self, ColumnForm, Known};

use crate::chance::{Chance, change};
use crate::facts_and_bytes;

/// A footer, the three of its fields by which it is known, and the forms of its columns.
pub struct FooterSample {
    parts: [Vec<u8>; 3],
    forms: Vec<ColumnForm>,
    data: Vec<u8>,
}

impl FooterSample {
    pub fn read(path: &std::path::PathBuf) -> Self {
        let (facts, data) = facts_and_bytes(path);
        let mut rest = data.as_slice();
        let mut part = |length: usize| {
            let (taken, left) = rest.split_at(length);
            rest = left;
            taken.to_vec()
        };
        let parts = [part(facts[0]), part(facts[1]), part(facts[2])];
        let forms = facts[3..]
            .chunks_exact(3)
            .map(|form| ColumnForm {
                physical_type: form[0] as i32,
                definitions: form[1] as i32,
                repetitions: form[2] as i32,
            })
            .collect();
        let made = Self {
            parts,
            forms,
            data: rest.to_vec(),
        };
        footers::read(&made.data, &[made.known()]).expect("a footer of the corpus");
        made
    }

    fn known(&self) -> Known<'_> {
        Known {
            schema: &self.parts[0],
            key_values: &self.parts[1],
            orders: &self.parts[2],
            forms: &self.forms,
        }
    }
}

/// Read one mutant of a footer; return whether it was read.
pub fn one_footer(corpus: &[FooterSample], seed: u64, number: u64) -> Result<bool, String> {
    let mut chance = Chance(seed.wrapping_mul(0x1234_5678_9abc_def1) ^ number);
    let (sample, donor) = (chance.pick(corpus), chance.pick(corpus));
    let mut data = sample.data.clone();
    for _ in 0..chance.below(4) {
        change(&mut data, &donor.data, &mut chance);
    }
    let Ok(found) = footers::read(&data, &[donor.known(), sample.known()]) else {
        return Ok(false);
    };
    let columns = [donor, sample][found.known].forms.len();
    let inside = |at: u32, length: u32| at as usize + length as usize <= data.len();
    let holds = found.chunks.len() == found.groups.len() * columns
        && found.chunks.iter().all(|one| {
            inside(one.least_at, one.least_length) && inside(one.greatest_at, one.greatest_length)
        });
    if holds {
        Ok(true)
    } else {
        Err("facts outside of the footer".into())
    }
}
