//! Compression of pages; contexts are kept for all pages of a column.

use std::io::{Read, Write};

use flate2::{Compression, read::MultiGzDecoder, write::GzEncoder};
use zstd::bulk::{Compressor, Decompressor};

use crate::trouble::{NotMine, Outcome, ensure};

pub const UNCOMPRESSED: i32 = 0;
const SNAPPY: i32 = 1;
const GZIP: i32 = 2;
const ZSTD: i32 = 6;
const LZ4_RAW: i32 = 7;

const DAMAGED: NotMine = NotMine("a page can't be decompressed");
const UNKNOWN: NotMine = NotMine("the codec");
const MEMORY: NotMine = NotMine("no memory");
const GZIP_DEFAULT: u32 = 6;
/// More than a byte can grow to in Snappy (22) and LZ4 (255), whose outputs are zeroed before they are known to be right.
const MOST_GROWTH: usize = 256;

/// Codecs of the inputs, and the one of the output with its level.
pub struct Codecs {
    zstd: Decompressor<'static>,
    output: i32,
    level: i32,
    compressor: Option<Compressor<'static>>,
}

impl Codecs {
    /// Make the codecs for an output; a negative level stands for the codec's own.
    pub fn new(output: i32, level: i32) -> Outcome<Self> {
        let compressor = match output {
            ZSTD => Some(
                Compressor::new(if level < 0 {
                    zstd::DEFAULT_COMPRESSION_LEVEL
                } else {
                    level
                })
                .map_err(|_| UNKNOWN)?,
            ),
            UNCOMPRESSED | SNAPPY | GZIP | LZ4_RAW => None,
            _ => return Err(UNKNOWN),
        };
        Ok(Self {
            zstd: Decompressor::new().map_err(|_| MEMORY)?,
            output,
            level,
            compressor,
        })
    }

    /// Replace `to` with the content of a page, which must have exactly `size` bytes.
    pub fn decompress(
        &mut self,
        codec: i32,
        data: &[u8],
        size: usize,
        to: &mut Vec<u8>,
    ) -> Outcome<()> {
        to.clear();
        ensure(
            ![SNAPPY, LZ4_RAW].contains(&codec) || size <= data.len().saturating_mul(MOST_GROWTH),
            DAMAGED.0,
        )?;
        to.try_reserve_exact(size).map_err(|_| MEMORY)?;
        match codec {
            UNCOMPRESSED => to.extend(data),
            ZSTD => drop(
                self.zstd
                    .decompress_to_buffer(data, to)
                    .map_err(|_| DAMAGED)?,
            ), // at most its capacity
            SNAPPY => {
                ensure(
                    snap::raw::decompress_len(data).is_ok_and(|length| length == size),
                    DAMAGED.0,
                )?;
                to.resize(size, 0);
                snap::raw::Decoder::new()
                    .decompress(data, to)
                    .map_err(|_| DAMAGED)?;
            }
            GZIP => {
                let mut limited = MultiGzDecoder::new(data).take(size as u64 + 1);
                limited.read_to_end(to).map_err(|_| DAMAGED)?;
            }
            LZ4_RAW => {
                to.resize(size, 0);
                let length = lz4_flex::block::decompress_into(data, to).map_err(|_| DAMAGED)?;
                to.truncate(length);
            }
            _ => return Err(UNKNOWN),
        }
        ensure(
            to.len() == size,
            "a page has another size than its header says",
        )
    }

    /// Return the content of a page as it is stored.
    pub fn compress<'a>(&mut self, data: &'a [u8], to: &'a mut Vec<u8>) -> Outcome<&'a [u8]> {
        to.clear();
        match self.output {
            UNCOMPRESSED => return Ok(data),
            ZSTD => {
                to.try_reserve(zstd::zstd_safe::compress_bound(data.len()))
                    .map_err(|_| MEMORY)?;
                self.compressor
                    .as_mut()
                    .ok_or(UNKNOWN)?
                    .compress_to_buffer(data, to)
                    .map_err(|_| MEMORY)?;
            }
            SNAPPY => {
                *to = snap::raw::Encoder::new()
                    .compress_vec(data)
                    .map_err(|_| MEMORY)?
            }
            GZIP => {
                let level = u32::try_from(self.level).unwrap_or(GZIP_DEFAULT).min(9);
                let mut encoder = GzEncoder::new(to, Compression::new(level));
                encoder.write_all(data).map_err(|_| MEMORY)?;
                return Ok(encoder.finish().map_err(|_| MEMORY)?);
            }
            LZ4_RAW => *to = lz4_flex::block::compress(data),
            _ => return Err(UNKNOWN),
        }
        Ok(to)
    }
}
