//! A walk over the pages of a flat column chunk that is to be copied: its headers, and its bytes by their checksums.

use crate::codecs::UNCOMPRESSED;
use crate::column::Chunk;
use crate::headers::{self, Kind, PLAIN};
use crate::trouble::{NotMine, Outcome, ensure};

/// The pages of a chunk; `all_checked`: each has a checksum, which matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Walked {
    pub pages: u32,
    pub all_checked: bool,
}

/// Return the pages of a chunk of plain values in pages of version 1; their counts and sizes are those of the footer.
pub fn walk(chunk: &Chunk) -> Outcome<Walked> {
    let (mut at, mut rows, mut size) = (0, 0usize, 0usize);
    let mut found = Walked {
        pages: 0,
        all_checked: true,
    };
    while at < chunk.data.len() {
        let (header, length) = headers::read(&chunk.data[at..])?;
        let is_plain = match header.kind {
            Kind::Data {
                definitions_are_rle,
                ..
            } => definitions_are_rle || !chunk.has_levels,
            _ => false,
        };
        ensure(
            is_plain && header.encoding == PLAIN && header.values > 0,
            "another kind of page",
        )?;
        let is_compressed = chunk.codec != UNCOMPRESSED;
        ensure(is_compressed || header.stored == header.size, "two sizes")?;
        let start = at + length;
        let stored = start
            .checked_add(header.stored)
            .and_then(|end| chunk.data.get(start..end))
            .ok_or(NotMine("a page leaves its chunk"))?;
        match header.checksum {
            Some(checksum) => ensure(crc32fast::hash(stored) == checksum, "a checksum")?,
            None => found.all_checked = false,
        }
        rows = rows.saturating_add(header.values);
        size = size.saturating_add(length).saturating_add(header.size);
        found.pages += 1;
        at = start + header.stored;
    }
    ensure(
        rows == chunk.entries && size == chunk.size,
        "rows or bytes are not those in the footer",
    )?;
    Ok(found)
}
