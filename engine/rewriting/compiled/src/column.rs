//! One column: the chunks of all inputs become one chunk, whose values are never decoded further than needed.
//!
//! If an input has a dictionary, so has the output: dictionaries are joined, indices are replaced. Without one, plain
//! values are put together in pages of the wanted size. Everything else is "not mine".

use crate::codecs::Codecs;
use crate::headers::{self, Header, Kind, PLAIN, PLAIN_DICTIONARY, RLE_DICTIONARY};
use crate::levels::{Greatest, Levels, Stored, split_first};
use crate::output::MOST_GROWTH;
use crate::runs;
use crate::trouble::{NotMine, Outcome, ensure};
use crate::words::{FULL, Layout, Listed, Words};

const NO_INDICES: NotMine = NotMine("a page without indices");
const PAST: NotMine = NotMine("an index past its dictionary");
/// The most bytes of a page, so that sizes fit the format's 32 bits.
const MOST_PAGE: usize = 1 << 30;

/// A column chunk: exactly its bytes, its rows, entries, and bytes before compression as the footer has them. It has the
/// levels of the wanted column, or, of a flat one, none.
#[derive(Debug, Clone, Copy)]
pub struct Chunk<'a> {
    pub data: &'a [u8],
    pub rows: usize,
    pub entries: usize,
    pub size: usize,
    pub codec: i32,
    pub has_levels: bool,
}

/// The wanted column. `page_rows` is a multiple of eight.
#[derive(Debug, Clone, Copy)]
pub struct Form {
    pub physical_type: u32,
    pub width: usize,
    pub codec: i32,
    pub level: i32,
    pub greatest: Greatest,
    pub page_bytes: usize,
    pub page_rows: usize,
    pub most_dictionary_bytes: usize,
}

/// The made chunk: its pages, `size` before compression, and what its rows have.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Made {
    pub data: Vec<u8>,
    pub size: usize,
    pub dictionary_bytes: usize,
    pub pages: usize,
    pub entries: usize,
    pub rows: usize,
    pub nulls: usize,
    pub nans: usize,
    pub has_plus_zero: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Float {
    None,
    Single,
    Double,
}

/// Return the merged chunk of all chunks.
pub fn merge(chunks: &[Chunk], form: &Form) -> Outcome<Made> {
    let (layout, float) = match (form.physical_type, form.width) {
        (1, _) => (Layout::Fixed(4), Float::None),
        (2, _) => (Layout::Fixed(8), Float::None),
        (3, _) => (Layout::Fixed(12), Float::None),
        (4, _) => (Layout::Fixed(4), Float::Single),
        (5, _) => (Layout::Fixed(8), Float::Double),
        (6, _) => (Layout::Texts, Float::None),
        (7, width) if width > 0 => (Layout::Fixed(width), Float::None),
        _ => return Err(NotMine("the physical type")),
    };
    let mut codecs = Codecs::new(form.codec, form.level)?;
    let mut column = Column::new(layout, form.greatest)?;
    let has_dictionary = chunks
        .iter()
        .filter(|chunk| !chunk.data.is_empty())
        .map(|chunk| Ok(headers::read(chunk.data)?.0.kind == Kind::Dictionary))
        .collect::<Outcome<Vec<_>>>()?
        .contains(&true);
    if has_dictionary {
        column.words = Some(Words::new(layout, form.most_dictionary_bytes));
    }
    for chunk in chunks {
        let greatest = form.greatest;
        ensure(
            chunk.has_levels == (greatest.definition > 0)
                || greatest.is_flat() && !chunk.has_levels,
            "levels of another column",
        )?;
        column.add(chunk, form, &mut codecs)?;
    }
    column.smaller(form, float, &mut codecs)
}

/// An input's dictionary: by its indices, the numbers of joined words, or values.
enum OwnWords {
    Numbers(Vec<u32>),
    Values(Listed),
}

/// The entries so far, with either numbers of words, or plain values. `read_bytes` are those of the pages so far, before
/// compression.
pub(crate) struct Column {
    pub(crate) layout: Layout,
    pub(crate) words: Option<Words>,
    pub(crate) numbers: Vec<u32>,
    pub(crate) plain: Vec<u8>,
    pub(crate) levels: Levels,
    pub(crate) read_bytes: usize,
    body: Vec<u8>,
}

impl Column {
    fn new(layout: Layout, greatest: Greatest) -> Outcome<Self> {
        let (numbers, plain, body) = Default::default();
        Ok(Self {
            layout,
            words: None,
            numbers,
            plain,
            levels: Levels::new(greatest)?,
            read_bytes: 0,
            body,
        })
    }

    fn add(&mut self, chunk: &Chunk, form: &Form, codecs: &mut Codecs) -> Outcome<()> {
        let (mut at, mut entries, mut size, rows) = (0, 0, 0usize, self.levels.rows);
        let mut own_words: Option<OwnWords> = None;
        while at < chunk.data.len() {
            let (header, length) = headers::read(&chunk.data[at..])?;
            let start = at + length;
            let end = start
                .checked_add(header.stored)
                .filter(|end| *end <= chunk.data.len());
            let stored = &chunk.data[start..end.ok_or(NotMine("a page leaves its chunk"))?];
            size = size.saturating_add(length).saturating_add(header.size);
            ensure(
                size <= chunk.size && header.size <= MOST_PAGE,
                "pages are larger than the footer says",
            )?;
            if let Some(checksum) = header.checksum {
                ensure(crc32fast::hash(stored) == checksum, "a checksum")?;
            }
            if header.kind == Kind::Dictionary {
                ensure(at == 0, "a dictionary after other pages")?;
                ensure(
                    [PLAIN, PLAIN_DICTIONARY].contains(&header.encoding),
                    "the encoding of a dictionary",
                )?;
                let mut body = std::mem::take(&mut self.body);
                codecs.decompress(chunk.codec, stored, header.size, &mut body)?;
                self.read_bytes = self.read_bytes.saturating_add(header.size);
                own_words = Some(self.own_words(&body, header.values, form, codecs)?);
                self.body = body;
            } else {
                let is_first = entries == 0;
                entries += header.values;
                ensure(
                    header.values > 0 && entries <= chunk.entries,
                    "more entries than the footer says",
                )?;
                let begin = self.levels.entries;
                self.add_page(chunk, &header, stored, own_words.as_ref(), form, codecs)?;
                ensure(
                    !is_first || self.levels.is_boundary(begin),
                    "a chunk that begins within a row",
                )?;
            }
            at = end.unwrap_or(at);
        }
        ensure(
            entries == chunk.entries && self.levels.rows - rows == chunk.rows && size == chunk.size,
            "rows, entries or bytes are not those in the footer",
        )
    }

    fn add_page(
        &mut self,
        chunk: &Chunk,
        header: &Header,
        stored: &[u8],
        own_words: Option<&OwnWords>,
        form: &Form,
        codecs: &mut Codecs,
    ) -> Outcome<()> {
        let mut body = std::mem::take(&mut self.body);
        let (nulls, rows) = (self.levels.nulls, self.levels.rows);
        let repeats = form.greatest.repetition > 0;
        let content = match header.kind {
            Kind::DataV2 {
                nulls: own_nulls,
                rows: own_rows,
                definitions,
                repetitions,
                is_compressed,
            } => {
                let has_levels =
                    (definitions > 0) == chunk.has_levels && (repetitions > 0) == repeats;
                let before = definitions.saturating_add(repetitions);
                ensure(has_levels && before <= header.size, "levels of a page")?;
                let (levels, values) = stored
                    .split_at_checked(before)
                    .ok_or(NotMine("levels leave their page"))?;
                let (repetitions, definitions) = levels.split_at(repetitions);
                let levels = Stored {
                    repetitions,
                    definitions,
                };
                self.levels.add(levels, header.values, chunk.has_levels)?;
                ensure(
                    (self.levels.nulls - nulls, self.levels.rows - rows) == (own_nulls, own_rows),
                    "nulls or rows are not those in the header",
                )?;
                let codec = if is_compressed { chunk.codec } else { 0 };
                codecs.decompress(codec, values, header.size - before, &mut body)?;
                &body[..]
            }
            Kind::Data {
                definitions_are_rle,
                repetitions_are_rle,
            } => {
                codecs.decompress(chunk.codec, stored, header.size, &mut body)?;
                let is_rle =
                    (definitions_are_rle || !chunk.has_levels) && (repetitions_are_rle || !repeats);
                ensure(is_rle, "the encoding of levels")?;
                let none = (&[][..], &body[..]);
                let (repetitions, rest) = if repeats { split_first(&body)? } else { none };
                let (definitions, values) = if chunk.has_levels {
                    split_first(rest)?
                } else {
                    (&[][..], rest)
                };
                let levels = Stored {
                    repetitions,
                    definitions,
                };
                self.levels.add(levels, header.values, chunk.has_levels)?;
                values
            }
            Kind::Dictionary => return Err(NotMine("two dictionaries")),
        };
        self.read_bytes = self.read_bytes.saturating_add(header.size);
        let count = header.values - (self.levels.nulls - nulls);
        let values = (header.encoding, content, count);
        self.add_values(values, own_words, form, codecs)?;
        self.body = body;
        Ok(())
    }

    fn add_values(
        &mut self,
        (encoding, data, count): (u32, &[u8], usize),
        own_words: Option<&OwnWords>,
        form: &Form,
        codecs: &mut Codecs,
    ) -> Outcome<()> {
        match (encoding, &mut self.words, own_words) {
            (PLAIN_DICTIONARY | RLE_DICTIONARY, _, _) if count == 0 => Ok(()), // it may have no width
            (PLAIN_DICTIONARY | RLE_DICTIONARY, Some(_), Some(OwnWords::Numbers(numbers))) => {
                let (bits, data) = data.split_first().ok_or(NO_INDICES)?;
                let number = |index: u32| numbers.get(index as usize).copied().ok_or(PAST);
                runs::read(data, u32::from(*bits), count, &mut self.numbers, number)
            }
            (PLAIN_DICTIONARY | RLE_DICTIONARY, None, Some(OwnWords::Values(values))) => {
                let (bits, data) = data.split_first().ok_or(NO_INDICES)?;
                let mut indices = Vec::new();
                runs::read(data, u32::from(*bits), count, &mut indices, Ok)?;
                let growth = if self.layout == Layout::Texts {
                    1
                } else {
                    MOST_GROWTH
                };
                let most = self.read_bytes.saturating_mul(growth);
                for index in indices {
                    let value = values.get(index).ok_or(PAST)?;
                    ensure(self.plain.len() + value.len() <= most, FULL.0)?;
                    self.plain.extend(value);
                }
                Ok(())
            }
            (PLAIN, Some(words), _) if count > 0 || !data.is_empty() => {
                match words.numbers(data, count) {
                    Ok(numbers) => {
                        self.numbers.extend(numbers);
                        Ok(())
                    }
                    Err(FULL) => {
                        self.continue_plain(form, codecs)?;
                        self.add_plain(data, count)
                    }
                    Err(other) => Err(other),
                }
            }
            (PLAIN, Some(_), _) => Ok(()),
            (PLAIN, None, _) => self.add_plain(data, count),
            _ => Err(NotMine("the encoding of values")),
        }
    }

    /// Read the dictionary of an input.
    fn own_words(
        &mut self,
        data: &[u8],
        count: usize,
        form: &Form,
        codecs: &mut Codecs,
    ) -> Outcome<OwnWords> {
        if let Some(words) = &mut self.words {
            match words.numbers(data, count) {
                Ok(numbers) => return Ok(OwnWords::Numbers(numbers)),
                Err(FULL) => self.continue_plain(form, codecs)?,
                Err(other) => return Err(other),
            }
        }
        Ok(OwnWords::Values(Listed::read(self.layout, data, count)?))
    }

    fn add_plain(&mut self, data: &[u8], count: usize) -> Outcome<()> {
        let mut rest = data;
        match self.layout {
            Layout::Fixed(width) => ensure(
                count.checked_mul(width) == Some(data.len()),
                "bytes of values",
            )?,
            Layout::Texts => {
                for _ in 0..count {
                    rest = self.layout.first(rest)?.1;
                }
                ensure(rest.is_empty(), "bytes of values")?;
            }
        }
        self.plain
            .try_reserve(data.len())
            .map_err(|_| NotMine("no memory"))?;
        self.plain.extend(data);
        Ok(())
    }
}
