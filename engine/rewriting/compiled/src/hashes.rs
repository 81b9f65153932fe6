//! Hashes of values for the comparison of rows: those of `row_hashes` in Python, bit for bit, in one pass over memory.

const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
const FIRST: u64 = 0xBF58_476D_1CE4_E5B9;
const SECOND: u64 = 0x94D0_49BB_1331_11EB;
/// The seed of texts and bytes, `_BYTES` in Python.
const BYTES: u64 = 0x51ED_270B_27A3_F1D9 + 5;
const WORD: usize = 8;

/// Spread every bit over all others (the finaliser of splitmix64).
fn mixed(mut value: u64) -> u64 {
    value = (value ^ (value >> 30)).wrapping_mul(FIRST);
    value = (value ^ (value >> 27)).wrapping_mul(SECOND);
    value ^ (value >> 31)
}

/// Add `plus` to each value and mix it, in place; with `keeps_zeros` those that are zero, hashes of nulls, stay so.
pub fn mix(values: &mut [u64], plus: u64, keeps_zeros: bool) {
    for value in values {
        if !keeps_zeros || *value != 0 {
            *value = mixed(value.wrapping_add(plus));
        }
    }
}

/// Hash the bytes between each start and the next; false if these are not places of `data` in order.
pub fn texts(data: &[u8], starts: &[i64], found: &mut [u64]) -> bool {
    for (place, hash) in starts.windows(2).zip(found) {
        let (Ok(begin), Ok(end)) = (usize::try_from(place[0]), usize::try_from(place[1])) else {
            return false;
        };
        let Some(text) = data.get(begin..end) else {
            return false;
        };
        *hash = of_text(text);
    }
    true
}

fn of_text(text: &[u8]) -> u64 {
    let mut sum = mixed((text.len() as u64).wrapping_add(BYTES));
    let mut place = 0u64;
    for part in text.chunks(WORD) {
        let mut word = [0; WORD];
        word[..part.len()].copy_from_slice(part);
        place = place.wrapping_add(STEP);
        sum = sum.wrapping_add(mixed(u64::from_le_bytes(word).wrapping_add(place)));
    }
    mixed(sum)
}

/// `mix` for Python.
///
/// # Safety
/// `values` points to `count` numbers, which nothing else uses during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn packhouse_mix(values: *mut u64, count: u64, plus: u64, keeps_zeros: u32) {
    if count > 0 {
        // SAFETY: the caller's promise.
        let values = unsafe { std::slice::from_raw_parts_mut(values, count as usize) };
        mix(values, plus, keeps_zeros != 0);
    }
}

/// `texts` for Python: 1 if all were hashed, otherwise 0.
///
/// # Safety
/// `data` points to `length` bytes, `starts` to `count` + 1 numbers, and `found` to `count`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn packhouse_hash_texts(
    data: *const u8,
    length: u64,
    starts: *const i64,
    count: u64,
    found: *mut u64,
) -> u32 {
    if count == 0 {
        return 1;
    }
    // SAFETY: the caller's promise; there are no bytes if all texts are empty.
    let (data, starts, found) = unsafe {
        (
            if length == 0 {
                &[]
            } else {
                std::slice::from_raw_parts(data, length as usize)
            },
            std::slice::from_raw_parts(starts, count as usize + 1),
            std::slice::from_raw_parts_mut(found, count as usize),
        )
    };
    u32::from(texts(data, starts, found))
}
