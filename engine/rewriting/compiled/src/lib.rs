//! Merges column chunks of Parquet files without decoding their values. Called by Python over a C interface.
//!
//! `packhouse_merge` either makes the whole chunk or says that the column is not its own; then nothing was changed, and
//! the caller takes its own path, which also finds and names damage.

pub mod codecs;
pub mod column;
pub mod headers;
mod output;
pub mod runs;
pub mod trouble;
pub mod words;

use std::panic::{AssertUnwindSafe, catch_unwind};

use column::{Chunk, Form, Made, merge};
use trouble::{NotMine, Outcome, ensure};

/// Changes when a struct of the interface does; Python refuses any other.
pub const INTERFACE: u32 = 1;

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
    is_optional: u32,
}

/// The wanted chunk; fields as those of `column::Form`.
#[repr(C)]
pub struct WantedChunk {
    physical_type: u32,
    width: u32,
    codec: i32,
    level: i32,
    is_optional: u32,
    page_rows: u32,
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
    let chunks: Vec<Chunk> = inputs
        .iter()
        .map(|one| Chunk {
            // SAFETY: the caller's promise: these bytes stay valid during the call.
            data: if one.length == 0 {
                &[]
            } else {
                unsafe { std::slice::from_raw_parts(one.data, one.length as usize) }
            },
            rows: one.rows as usize,
            size: one.size as usize,
            codec: one.codec,
            is_optional: one.is_optional != 0,
        })
        .collect();
    let form = Form {
        physical_type: wanted.physical_type,
        width: wanted.width as usize,
        codec: wanted.codec,
        level: wanted.level,
        is_optional: wanted.is_optional != 0,
        page_bytes: wanted.page_bytes as usize,
        page_rows: wanted.page_rows as usize,
        most_dictionary_bytes: wanted.most_dictionary_bytes as usize,
    };
    merge(&chunks, &form)
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
