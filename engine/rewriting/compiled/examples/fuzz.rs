//! Merges mutants of valid chunks: `fuzz CORPUS COUNT SEED [ONLY]`. `make fuzz-compiled` makes the corpus and the limits.
//!
//! Each file of the corpus is a line `type width rows codec is_optional`, then the bytes of a chunk. A fault ends the
//! program with the number of its mutant: a panic, an abort for want of memory, two seconds twice, rows that differ from those
//! of the parts merged one by one, or an output that is not merged to itself.

use std::time::{Duration, Instant};

use packhouse_compiled::column::{Chunk, Form, Made, merge};
use packhouse_compiled::headers::{self, Kind};
use packhouse_compiled::runs;

const MOST: Duration = Duration::from_secs(2);
const CODECS: [i32; 5] = [0, 1, 2, 6, 7];
const TEXTS: u32 = 6;

#[derive(Clone)]
struct Sample {
    name: String,
    physical_type: u32,
    width: usize,
    codec: i32,
    is_optional: bool,
    rows: usize,
    size: usize,
    data: Vec<u8>,
}

/// SplitMix64: the same mutants on every machine.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

fn main() {
    let given: Vec<String> = std::env::args().collect();
    let number = |at: usize| given.get(at).and_then(|raw| raw.parse::<u64>().ok());
    let (count, seed) = (number(2).unwrap_or(1_000_000), number(3).unwrap_or(1));
    let corpus = read_corpus(&given[1]);
    let numbers = number(4).map_or(0..count, |only| only..only + 1);
    let done = numbers.end - numbers.start;
    let (mut merged, mut slowest, begin) = (0u64, (Duration::ZERO, 0), Instant::now());
    for number in numbers {
        let started = Instant::now();
        let found = std::panic::catch_unwind(|| one(&corpus, seed, number));
        match found {
            Ok(Ok(is_merged)) => merged += u64::from(is_merged),
            Ok(Err(fault)) => fail(seed, number, &fault),
            Err(_) => fail(seed, number, "a panic"),
        }
        slowest = slowest.max((started.elapsed(), number));
    }
    let again = Instant::now();
    if slowest.0 > MOST && one(&corpus, seed, slowest.1).is_ok() && again.elapsed() > MOST {
        fail(seed, slowest.1, "more than two seconds");
    }
    println!(
        "{done} mutants of {} chunks in {:?}: {merged} merged, the slowest (number {}) in {:?}",
        corpus.len(),
        begin.elapsed(),
        slowest.1,
        slowest.0
    );
}

fn fail(seed: u64, number: u64, fault: &str) -> ! {
    println!("seed {seed}, number {number}: {fault}");
    std::process::exit(1);
}

fn read_corpus(folder: &str) -> Vec<Sample> {
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("the corpus")
        .map(|entry| entry.expect("a file").path())
        .collect();
    paths.sort();
    paths.iter().map(read_sample).collect()
}

fn read_sample(path: &std::path::PathBuf) -> Sample {
    let raw = std::fs::read(path).expect("a sample");
    let end = raw.iter().position(|byte| *byte == b'\n').expect("a line");
    let line = String::from_utf8_lossy(&raw[..end]);
    let facts: Vec<usize> = line
        .split(' ')
        .map(|one| one.parse().expect("a number"))
        .collect();
    let mut made = Sample {
        name: path.display().to_string(),
        physical_type: facts[0] as u32,
        width: facts[1],
        rows: facts[2],
        codec: facts[3] as i32,
        is_optional: facts[4] == 1,
        size: 0,
        data: raw[end + 1..].to_vec(),
    };
    let rows = made.rows;
    heal(&mut made);
    assert_eq!(made.rows, rows, "{}", made.name);
    let form = form(&made, 0, 1 << 20, 1 << 16);
    merged(&[&made], &form).unwrap_or_else(|fault| panic!("{}: {fault}", made.name));
    made
}

/// Make the footer's facts those that the page headers say, and every checksum right, as one who forges a file would.
fn heal(sample: &mut Sample) {
    let (mut at, mut rows, mut size, mut made) = (0, 0, 0usize, Vec::new());
    while let Ok((header, length)) = headers::read(&sample.data[at..]) {
        let start = at + length;
        let Some(stored) = sample.data.get(start..start.saturating_add(header.stored)) else {
            break;
        };
        let head = &sample.data[at..start];
        // a header with a checksum is written from scratch, since the right one may take more or fewer bytes
        if header.checksum.is_some() && !matches!(header.kind, Kind::DataV2 { .. }) {
            let sizes = (header.size as i32, header.stored as i32);
            let (is_dictionary, sum) = (header.kind == Kind::Dictionary, crc32fast::hash(stored));
            let before = made.len();
            headers::write(
                header.values as i32,
                header.encoding,
                sizes,
                sum,
                is_dictionary,
                &mut made,
            );
            size += made.len() - before + header.size;
        } else {
            made.extend(head);
            size += length + header.size;
        }
        made.extend(stored);
        rows += if header.kind == Kind::Dictionary {
            0
        } else {
            header.values
        };
        at = start + header.stored;
    }
    made.extend(&sample.data[at..]);
    (sample.data, sample.rows, sample.size) = (made, rows, size);
}

fn form(of: &Sample, codec: i32, page_bytes: usize, page_rows: usize) -> Form {
    Form {
        physical_type: of.physical_type,
        width: of.width,
        codec,
        level: 1,
        is_optional: of.is_optional,
        page_bytes,
        page_rows,
        most_dictionary_bytes: 1 << 20,
    }
}

fn merged(samples: &[&Sample], form: &Form) -> Result<Made, &'static str> {
    let chunks: Vec<Chunk> = samples
        .iter()
        .map(|one| Chunk {
            data: &one.data,
            rows: one.rows,
            size: one.size,
            codec: one.codec,
            is_optional: one.is_optional,
        })
        .collect();
    merge(&chunks, form).map_err(|reason| reason.0)
}

/// Write and read numbers of any width, of which some are repeated often.
fn runs_hold(chance: &mut Chance) -> bool {
    let bits = 1 + chance.below(32) as u32;
    let (many, few) = (1 + chance.below(40), chance.below(2) == 0);
    let mut numbers: Vec<u32> = Vec::new();
    for _ in 0..chance.below(9) {
        let number = (chance.next() as u32) >> (32 - bits);
        numbers.resize(numbers.len() + if few { 64 * many } else { many }, number);
    }
    let (mut data, mut found) = (Vec::new(), Vec::new());
    runs::write(&numbers, bits, &mut data);
    runs::read(&data, bits, numbers.len(), &mut found, Ok).is_ok() && found == numbers
}

/// Merge one mutant beside a valid chunk; return whether it was merged.
fn one(corpus: &[Sample], seed: u64, number: u64) -> Result<bool, String> {
    let mut chance = Chance(seed.wrapping_mul(0x1234_5678_9abc_def1) ^ number);
    chance.next();
    if !runs_hold(&mut chance) {
        return Err("numbers are not read as they were written".into());
    }
    let mut mutant = chance.pick(corpus).clone();
    let donor = chance.pick(corpus);
    for _ in 0..chance.below(4) {
        mutate(&mut mutant, donor, &mut chance);
    }
    if chance.below(4) > 0 {
        heal(&mut mutant);
    }
    if chance.below(16) == 0 {
        mutant.rows = chance.next() as usize >> chance.below(64);
        mutant.size = chance.next() as usize >> chance.below(64);
    }
    let alike: Vec<&Sample> = corpus
        .iter()
        .filter(|one| (one.physical_type, one.width) == (mutant.physical_type, mutant.width))
        .collect();
    let other = *chance.pick(&alike);
    let page = (1 << chance.below(21), 8 << chance.below(14));
    let mut form = form(&mutant, *chance.pick(&CODECS), page.0, page.1);
    form.is_optional |= other.is_optional || chance.below(2) == 0;
    form.most_dictionary_bytes = 1 << chance.below(24);
    let parts = if chance.below(2) == 0 {
        [&mutant, other]
    } else {
        [other, &mutant]
    };
    let Ok(made) = merged(&parts, &form) else {
        return Ok(false);
    };
    let again = Sample {
        name: String::new(),
        codec: form.codec,
        is_optional: form.is_optional,
        rows: made.rows,
        size: made.size,
        data: made.data.clone(),
        ..mutant
    };
    if merged(&[&again], &form).as_ref() != Ok(&made) {
        return Err("the output is not merged to itself".into());
    }
    let plain = Form {
        codec: 0,
        most_dictionary_bytes: 1 << 24,
        ..form
    };
    let mut wanted = Vec::new();
    for part in parts {
        wanted.extend(rows_of(&merged(&[part], &plain)?, &plain));
    }
    let found = rows_of(&merged(&parts, &plain)?, &plain);
    let nulls = found.iter().filter(|one| one.is_none()).count();
    if found != wanted || (found.len(), nulls) != (made.rows, made.nulls) {
        return Err("rows differ from those of the parts".into());
    }
    Ok(true)
}

fn mutate(sample: &mut Sample, donor: &Sample, chance: &mut Chance) {
    let data = &mut sample.data;
    let at = if chance.below(2) == 0 {
        chance.below(data.len().min(48))
    } else {
        chance.below(data.len())
    };
    match chance.below(9) {
        _ if data.is_empty() => {}
        0 => data[at] ^= 1 << chance.below(8),
        1 => data[at] = chance.next() as u8,
        2 => data[at] = *chance.pick(&[0, 1, 2, 3, 127, 128, 255]),
        3 => data.truncate(at),
        4 => drop(data.drain(at..(at + 1 + chance.below(8)).min(data.len()))),
        5 => {
            let end = (at + chance.below(16)).min(data.len());
            let again = data[at..end].to_vec();
            data.splice(at..at, again);
        }
        6 => {
            let from = chance.below(donor.data.len());
            let end = (from + chance.below(256)).min(donor.data.len());
            data.splice(at.., donor.data[from..end].iter().copied());
        }
        7 => data.extend(&donor.data),
        _ => match chance.below(3) {
            0 => sample.codec = chance.below(9) as i32 - 1,
            1 => sample.is_optional = !sample.is_optional,
            _ => (sample.physical_type, sample.width) = (donor.physical_type, donor.width),
        },
    }
}

/// Read an output in its simple form: pages of version 1, not compressed, levels and indices as runs.
fn rows_of(made: &Made, form: &Form) -> Vec<Option<Vec<u8>>> {
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

fn values_of(mut body: &[u8], count: usize, form: &Form) -> Vec<Vec<u8>> {
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
