//! Merges mutants of valid chunks, walks over their pages, and reads mutants of footers: `fuzz CORPUS COUNT SEED [ONLY]`.
//! `make fuzz-compiled` makes the corpus and the limits.
//!
//! Each file of the corpus is a line `type width rows entries codec definition repetition`, then the bytes of a chunk. A fault ends the
//! program with the number of its mutant: a panic, an abort for want of memory, two seconds twice, rows that differ from those
//! of the parts merged one by one, an output that is not merged to itself, other pages than a walk found, or facts of a
//! footer that are outside of it.

mod chance;
mod footer_mutants;
mod simple_rows;

use std::time::{Duration, Instant};

use packhouse_compiled::column::{Chunk, Form, Made, merge};
use packhouse_compiled::headers::{self, Kind};
use packhouse_compiled::levels::Greatest;
use packhouse_compiled::{pages, runs};

use chance::{Chance, change};
use footer_mutants::{FooterSample, one_footer};
use simple_rows::rows_of;

const MOST: Duration = Duration::from_secs(2);
const CODECS: [i32; 5] = [0, 1, 2, 6, 7];
const TEXTS: u32 = 6;

#[derive(Clone)]
struct Sample {
    name: String,
    physical_type: u32,
    width: usize,
    codec: i32,
    greatest: Greatest,
    has_levels: bool,
    rows: usize,
    entries: usize,
    size: usize,
    data: Vec<u8>,
}

fn main() {
    let given: Vec<String> = std::env::args().collect();
    let number = |at: usize| given.get(at).and_then(|raw| raw.parse::<u64>().ok());
    let (count, seed) = (number(2).unwrap_or(1_000_000), number(3).unwrap_or(1));
    let corpus = read_corpus(&given[1]);
    let footers: Vec<FooterSample> = files_of(&format!("{}/footers", given[1]))
        .iter()
        .map(FooterSample::read)
        .collect();
    let numbers = number(4).map_or(0..count, |only| only..only + 1);
    let done = numbers.end - numbers.start;
    let (mut merged, mut slowest, begin) = (0u64, (Duration::ZERO, 0), Instant::now());
    for number in numbers {
        let started = Instant::now();
        let found = std::panic::catch_unwind(|| any(&corpus, &footers, seed, number));
        match found {
            Ok(Ok(is_merged)) => merged += u64::from(is_merged),
            Ok(Err(fault)) => fail(seed, number, &fault),
            Err(_) => fail(seed, number, "a panic"),
        }
        slowest = slowest.max((started.elapsed(), number));
    }
    let again = Instant::now();
    if slowest.0 > MOST && any(&corpus, &footers, seed, slowest.1).is_ok() && again.elapsed() > MOST
    {
        fail(seed, slowest.1, "more than two seconds");
    }
    println!(
        "{done} mutants of {} chunks and {} footers in {:?}: {merged} merged or read, the slowest (number {}) in {:?}",
        corpus.len(),
        footers.len(),
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
    files_of(folder).iter().map(read_sample).collect()
}

fn files_of(folder: &str) -> Vec<std::path::PathBuf> {
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("the corpus")
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.is_file())
        .collect();
    paths.sort();
    paths
}

/// Try a mutant of a chunk or, one time in four, of a footer.
fn any(
    corpus: &[Sample],
    footers: &[FooterSample],
    seed: u64,
    number: u64,
) -> Result<bool, String> {
    if number % 4 == 3 {
        return one_footer(footers, seed, number);
    }
    one(corpus, seed, number)
}

/// Return whether a walk finds the pages that headers say, or refuses the chunk.
fn walk_holds(sample: &Sample) -> bool {
    let chunk = Chunk {
        data: &sample.data,
        rows: sample.rows,
        size: sample.size,
        codec: sample.codec,
        has_levels: sample.has_levels,
        entries: sample.entries,
    };
    let Ok(found) = pages::walk(&chunk) else {
        return true;
    };
    let (mut at, mut count, mut rows, mut checked) = (0, 0, 0, true);
    while let Ok((header, length)) = headers::read(&sample.data[at..]) {
        at += length + header.stored;
        rows += header.values;
        checked &= header.checksum.is_some();
        count += 1;
    }
    at == sample.data.len()
        && rows == sample.entries
        && (count, checked) == (found.pages, found.all_checked)
}

/// Reads a file of the corpus: the numbers of its first line, and the bytes after it.
fn facts_and_bytes(path: &std::path::PathBuf) -> (Vec<usize>, Vec<u8>) {
    let raw = std::fs::read(path).expect("a sample");
    let end = raw.iter().position(|byte| *byte == b'\n').expect("a line");
    let line = String::from_utf8_lossy(&raw[..end]);
    let facts = line
        .split(' ')
        .map(|one| one.parse().expect("a number"))
        .collect();
    (facts, raw[end + 1..].to_vec())
}

fn read_sample(path: &std::path::PathBuf) -> Sample {
    let (facts, data) = facts_and_bytes(path);
    let mut made = Sample {
        name: path.display().to_string(),
        physical_type: facts[0] as u32,
        width: facts[1],
        rows: facts[2],
        entries: facts[3],
        codec: facts[4] as i32,
        greatest: Greatest {
            definition: facts[5] as u32,
            repetition: facts[6] as u32,
        },
        has_levels: facts[5] > 0,
        size: 0,
        data,
    };
    let facts = (made.rows, made.entries);
    heal(&mut made);
    assert_eq!((made.rows, made.entries), facts, "{}", made.name);
    let form = form(&made, 0, 1 << 20, 1 << 16);
    merged(&[&made], &form).unwrap_or_else(|fault| panic!("{}: {fault}", made.name));
    made
}

/// Make the footer's facts those that the page headers say, and every checksum right, as one who forges a file would.
fn heal(sample: &mut Sample) {
    let (mut at, mut entries, mut size, mut made) = (0, 0, 0usize, Vec::new());
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
        entries += if header.kind == Kind::Dictionary {
            0
        } else {
            header.values
        };
        at = start + header.stored;
    }
    made.extend(&sample.data[at..]);
    (sample.data, sample.entries, sample.size) = (made, entries, size);
    if sample.greatest.repetition == 0 {
        sample.rows = entries;
    }
}

/// Return whether chunks may be of one column.
fn is_alike(one: &Sample, other: &Sample) -> bool {
    let are_flat = one.greatest.is_flat() && other.greatest.is_flat();
    (one.physical_type, one.width) == (other.physical_type, other.width)
        && (are_flat || one.greatest == other.greatest)
}

fn form(of: &Sample, codec: i32, page_bytes: usize, page_rows: usize) -> Form {
    Form {
        physical_type: of.physical_type,
        width: of.width,
        codec,
        level: 1,
        greatest: of.greatest,
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
            has_levels: one.has_levels,
            entries: one.entries,
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
        mutant.entries = chance.next() as usize >> chance.below(64);
        mutant.size = chance.next() as usize >> chance.below(64);
    }
    if !walk_holds(&mutant) {
        return Err("a walk finds other pages".into());
    }
    let alike: Vec<&Sample> = corpus.iter().filter(|one| is_alike(one, &mutant)).collect();
    if alike.is_empty() {
        return Ok(false);
    }
    let other = *chance.pick(&alike);
    let page = (1 << chance.below(21), 8 << chance.below(14));
    let mut form = form(&mutant, *chance.pick(&CODECS), page.0, page.1);
    if form.greatest.is_flat() {
        let is_optional = mutant.has_levels || other.has_levels || chance.below(2) == 0;
        form.greatest.definition = u32::from(is_optional);
    }
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
        greatest: form.greatest,
        has_levels: form.greatest.definition > 0,
        rows: made.rows,
        entries: made.entries,
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
    let nulls = found.iter().filter(|one| one.2.is_none()).count();
    if found != wanted || (found.len(), nulls) != (made.entries, made.nulls) {
        return Err("rows differ from those of the parts".into());
    }
    Ok(true)
}

fn mutate(sample: &mut Sample, donor: &Sample, chance: &mut Chance) {
    if chance.below(9) < 8 {
        change(&mut sample.data, &donor.data, chance);
        return;
    }
    match chance.below(3) {
        0 => sample.codec = chance.below(9) as i32 - 1,
        1 => sample.has_levels = !sample.has_levels,
        _ => (sample.physical_type, sample.width) = (donor.physical_type, donor.width),
    }
}
