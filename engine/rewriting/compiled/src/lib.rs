//! Merges column chunks of Parquet files without decoding their values. Called by Python over a C interface.
//!
//! `packhouse_merge` either makes the whole chunk or says that the column is not its own; then nothing was changed, and
//! the caller takes its own path, which also finds and names damage.

pub mod codecs;
pub mod column;
pub mod footers;
pub mod hashes;
pub mod headers;
pub mod levels;
mod output;
pub mod pages;
pub mod runs;
pub mod trouble;
pub mod words;

use std::panic::{AssertUnwindSafe, catch_unwind};

use column::{Chunk, Form, Made, merge};
use footers::{ChunkFacts, ColumnForm, Footer, GroupFacts, Known};
use levels::Greatest;
use trouble::{NotMine, Outcome, ensure};

/// Changes when a struct of the interface does; Python refuses any other.
pub const INTERFACE: u32 = 4;

const WRITTEN: i32 = 0;
const NOT_MINE: i32 = 1;
const PANIC: i32 = 2;

/// One input chunk: `length` bytes at `data`, which stay valid and unchanged during the call.
#[repr(C)]
pub struct InputChunk {
    data: *const u8,
    length: u64,
    rows: u64,
    size: u64,
    codec: i32,
    has_levels: u32,
    entries: u64,
}

/// The wanted chunk; fields as those of `column::Form`.
#[repr(C)]
pub struct WantedChunk {
    physical_type: u32,
    width: u32,
    codec: i32,
    level: i32,
    definitions: u32,
    repetitions: u32,
    page_rows: u32,
    padding: u32,
    page_bytes: u64,
    most_dictionary_bytes: u64,
}

/// The answer. `data` belongs to this library until `packhouse_release`; `reason` is text in UTF-8, ended by a zero.
#[repr(C)]
pub struct Answer {
    status: i32,
    has_plus_zero: u32,
    data: *mut u8,
    length: u64,
    capacity: u64,
    size: u64,
    dictionary_bytes: u64,
    pages: u64,
    entries: u64,
    rows: u64,
    nulls: u64,
    nans: u64,
    reason: [u8; 64],
}

#[unsafe(no_mangle)]
pub extern "C" fn packhouse_interface() -> u32 {
    INTERFACE
}

/// Merge `count` chunks.
///
/// # Safety
/// `inputs` points to `count` chunks, `wanted` and `answer` to one struct each, all of them as declared here.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn packhouse_merge(
    inputs: *const InputChunk,
    count: u64,
    wanted: *const WantedChunk,
    answer: *mut Answer,
) {
    // SAFETY: the caller's promise, see above.
    let (inputs, wanted, answer) = unsafe {
        (
            std::slice::from_raw_parts(inputs, count as usize),
            &*wanted,
            &mut *answer,
        )
    };
    match catch_unwind(AssertUnwindSafe(|| merged(inputs, wanted))) {
        Ok(Ok(made)) => hand_over(made, answer),
        Ok(Err(NotMine(reason))) => say(NOT_MINE, reason, answer),
        Err(_) => say(PANIC, "a fault of the compiled pass", answer),
    }
}

fn merged(inputs: &[InputChunk], wanted: &WantedChunk) -> Outcome<Made> {
    ensure(
        wanted.page_rows > 0 && wanted.page_rows.is_multiple_of(8),
        "rows of a page",
    )?;
    let chunks: Vec<Chunk> = inputs.iter().map(chunk_of).collect();
    let form = Form {
        physical_type: wanted.physical_type,
        width: wanted.width as usize,
        codec: wanted.codec,
        level: wanted.level,
        greatest: Greatest {
            definition: wanted.definitions,
            repetition: wanted.repetitions,
        },
        page_bytes: wanted.page_bytes as usize,
        page_rows: wanted.page_rows as usize,
        most_dictionary_bytes: wanted.most_dictionary_bytes as usize,
    };
    merge(&chunks, &form)
}

fn chunk_of(one: &InputChunk) -> Chunk<'_> {
    Chunk {
        // SAFETY: the caller's promise: these bytes stay valid during the call.
        data: if one.length == 0 {
            &[]
        } else {
            unsafe { std::slice::from_raw_parts(one.data, one.length as usize) }
        },
        rows: one.rows as usize,
        size: one.size as usize,
        codec: one.codec,
        has_levels: one.has_levels != 0,
        entries: one.entries as usize,
    }
}

/// The pages of a chunk that may be copied, see `pages::Walked`.
#[repr(C)]
pub struct WalkedChunk {
    status: i32,
    pages: u32,
    all_checked: u32,
}

/// Walk over the pages of `count` chunks; `rows` of a chunk are those of its footer.
///
/// # Safety
/// `inputs` and `answers` point to `count` structs each, as declared here.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn packhouse_walk(
    inputs: *const InputChunk,
    count: u64,
    answers: *mut WalkedChunk,
) {
    // SAFETY: the caller's promise, see above.
    let (inputs, answers) = unsafe {
        (
            std::slice::from_raw_parts(inputs, count as usize),
            std::slice::from_raw_parts_mut(answers, count as usize),
        )
    };
    for (input, answer) in inputs.iter().zip(answers) {
        let found = catch_unwind(AssertUnwindSafe(|| pages::walk(&chunk_of(input))));
        let (status, walked) = match found {
            Ok(Ok(walked)) => (WRITTEN, Some(walked)),
            Ok(Err(_)) => (NOT_MINE, None),
            Err(_) => (PANIC, None),
        };
        *answer = WalkedChunk {
            status,
            pages: walked.map_or(0, |one| one.pages),
            all_checked: walked.map_or(0, |one| u32::from(one.all_checked)),
        };
    }
}

fn hand_over(made: Made, answer: &mut Answer) {
    let mut data = std::mem::ManuallyDrop::new(made.data);
    *answer = Answer {
        status: WRITTEN,
        has_plus_zero: u32::from(made.has_plus_zero),
        data: data.as_mut_ptr(),
        length: data.len() as u64,
        capacity: data.capacity() as u64,
        size: made.size as u64,
        dictionary_bytes: made.dictionary_bytes as u64,
        pages: made.pages as u64,
        entries: made.entries as u64,
        rows: made.rows as u64,
        nulls: made.nulls as u64,
        nans: made.nans as u64,
        reason: [0; 64],
    };
}

fn say(status: i32, reason: &str, answer: &mut Answer) {
    answer.status = status;
    answer.reason = [0; 64];
    let length = reason.len().min(63);
    answer.reason[..length].copy_from_slice(&reason.as_bytes()[..length]);
}

/// Free the bytes of an answer.
///
/// # Safety
/// `data`, `length` and `capacity` are those of one answer, and are given once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn packhouse_release(data: *mut u8, length: u64, capacity: u64) {
    // SAFETY: the caller's promise: the parts of a `Vec<u8>` that `hand_over` took apart.
    drop(unsafe { Vec::from_raw_parts(data, length as usize, capacity as usize) });
}

/// Bytes that stay valid and unchanged during a call.
#[repr(C)]
pub struct Span {
    data: *const u8,
    length: u64,
}

/// A schema that is known, see `footers::Known`.
#[repr(C)]
pub struct KnownSchema {
    schema: Span,
    key_values: Span,
    orders: Span,
    forms: *const ColumnForm,
    columns: u64,
}

/// What was read of a footer: its row groups and chunks begin at these places of the answer's arrays.
#[repr(C)]
pub struct FooterFacts {
    status: i32,
    known: u32,
    rows: i64,
    groups: u64,
    first_group: u64,
    first_chunk: u64,
}

/// The arrays of an answer, which belong to the caller, and their lengths.
#[repr(C)]
pub struct FooterAnswer {
    footers: *mut FooterFacts,
    groups: *mut GroupFacts,
    most_groups: u64,
    chunks: *mut ChunkFacts,
    most_chunks: u64,
}

/// Read `count` footers that have one of `known_count` schemas; any other gets the status of what is not this library's.
///
/// # Safety
/// All pointers are those of arrays with the given lengths; `answer.footers` has `count` entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn packhouse_footers(
    footers: *const Span,
    count: u64,
    known: *const KnownSchema,
    known_count: u64,
    answer: *const FooterAnswer,
) {
    // SAFETY: the caller's promise, see above.
    let (footers, known, facts, mut groups, mut chunks) = unsafe {
        let answer = &*answer;
        (
            std::slice::from_raw_parts(footers, count as usize),
            std::slice::from_raw_parts(known, known_count as usize),
            std::slice::from_raw_parts_mut(answer.footers, count as usize),
            Filled::new(answer.groups, answer.most_groups),
            Filled::new(answer.chunks, answer.most_chunks),
        )
    };
    let known: Vec<Known> = known
        .iter()
        .map(|one| Known {
            schema: bytes_of(&one.schema),
            key_values: bytes_of(&one.key_values),
            orders: bytes_of(&one.orders),
            // SAFETY: the caller's promise, see above.
            forms: unsafe { std::slice::from_raw_parts(one.forms, one.columns as usize) },
        })
        .collect();
    for (footer, to) in footers.iter().zip(facts) {
        let found = catch_unwind(AssertUnwindSafe(|| {
            let found = footers::read(bytes_of(footer), &known)?;
            let places = (groups.place(&found.groups)?, chunks.place(&found.chunks)?);
            Ok::<(Footer, (u64, u64)), NotMine>((found, places))
        }));
        to.status = match found {
            Ok(Ok((found, places))) => {
                groups.add(&found.groups);
                chunks.add(&found.chunks);
                (to.known, to.rows) = (found.known as u32, found.rows);
                (to.groups, to.first_group, to.first_chunk) =
                    (found.groups.len() as u64, places.0, places.1);
                WRITTEN
            }
            Ok(Err(_)) => NOT_MINE,
            Err(_) => PANIC,
        };
    }
}

fn bytes_of(span: &Span) -> &[u8] {
    if span.length == 0 {
        return &[];
    }
    // SAFETY: the promise of the caller of the function with this argument.
    unsafe { std::slice::from_raw_parts(span.data, span.length as usize) }
}

/// An array of the caller that is filled from its begin.
struct Filled<'a, T> {
    all: &'a mut [T],
    length: usize,
}

impl<T: Copy> Filled<'_, T> {
    /// # Safety
    /// `data` is an array of `most` entries.
    unsafe fn new(data: *mut T, most: u64) -> Self {
        // SAFETY: the caller's promise.
        let all = unsafe { std::slice::from_raw_parts_mut(data, most as usize) };
        Self { all, length: 0 }
    }

    /// Return where these entries would begin, if they fit.
    fn place(&self, more: &[T]) -> Outcome<u64> {
        ensure(
            more.len() <= self.all.len() - self.length,
            "more row groups than there is room for",
        )?;
        Ok(self.length as u64)
    }

    fn add(&mut self, more: &[T]) {
        self.all[self.length..][..more.len()].copy_from_slice(more);
        self.length += more.len();
    }
}
