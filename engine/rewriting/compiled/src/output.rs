//! Writing of a merged column: as a dictionary and indices, or as plain values, in pages of version 1.

use crate::codecs::Codecs;
use crate::column::{Column, Float, Form, Made};
use crate::headers::{self, PLAIN, RLE_DICTIONARY};
use crate::runs;
use crate::trouble::{NotMine, Outcome, ensure};
use crate::words::{FULL, Layout, Words};

/// How many times the bytes of the inputs' pages plain numbers may take, before compression, after the dictionary was full.
pub(crate) const MOST_GROWTH: usize = 4;
const GROUP: usize = 8;
const LENGTH: usize = 4;
/// Rows of a page of plain values, as Arrow and parquet-mr have: zstd takes a fifth more for larger pages of numbers.
const MOST_PLAIN_ROWS: usize = 20_000;
/// Values that take more times the bytes of words and indices are not compared with them.
const MOST_TRIED: usize = 3;
/// The share of a dictionary-coded chunk, as 1/n, that plain values must save: readers use a dictionary to filter.
const LEAST_SAVED: usize = 10;

impl Column {
    /// Return the bytes of all values as words and indices, and as plain values, before compression.
    pub(crate) fn sizes(&self, words: &Words) -> (usize, usize) {
        let indices = self.numbers.len().saturating_mul(words.bits() as usize) / 8;
        let plain = match self.layout {
            Layout::Fixed(width) => width.saturating_mul(self.numbers.len()),
            Layout::Texts => {
                let length = |number: u32| LENGTH + words.word(number).len();
                let lengths: Vec<usize> = (0..words.count() as u32).map(length).collect();
                let numbers = self.numbers.iter();
                numbers.map(|number| lengths[*number as usize]).sum()
            }
        };
        (words.plain().len().saturating_add(indices), plain)
    }

    /// Go on with plain values once the dictionary is full, if they take no more so far, before compression or, of
    /// numbers, after it: ascending ones do. If values recur too often later, then the column is left to Arrow.
    pub(crate) fn continue_plain(&mut self, form: &Form, codecs: &mut Codecs) -> Outcome<()> {
        let mut size = 0;
        if let Some(words) = &self.words {
            let coded;
            (coded, size) = self.sizes(words);
            let is_known = size <= coded
                || self.layout != Layout::Texts
                    && size / MOST_GROWTH <= self.read_bytes
                    && self.plain_estimate(words, form, codecs)?
                        <= self.coded_estimate(words, codecs)?;
            ensure(is_known, FULL.0)?;
        }
        self.drop_words(size)
    }

    /// Replace the words and their numbers with values, which take `size` bytes.
    pub(crate) fn drop_words(&mut self, size: usize) -> Outcome<()> {
        let Some(words) = self.words.take() else {
            return Ok(());
        };
        self.plain
            .try_reserve_exact(size)
            .map_err(|_| NotMine("no memory"))?;
        for number in std::mem::take(&mut self.numbers) {
            words.write(number, &mut self.plain);
        }
        Ok(())
    }

    /// Return the chunk in the form that takes less. A dictionary takes more than values that are mostly unique, or that
    /// a codec shortens, like ascending numbers. A page of values shows whether it is worth to write both. Texts that
    /// recur keep theirs: readers decode and compare each of them once.
    pub(crate) fn smaller(
        &mut self,
        form: &Form,
        float: Float,
        codecs: &mut Codecs,
    ) -> Outcome<Made> {
        let Some(words) = &self.words else {
            return self.written(form, float, codecs);
        };
        let (coded, plain) = self.sizes(words);
        let mut with_words = None;
        if plain > coded {
            let made = self.written(form, float, codecs)?;
            let most = made.data.len() - made.data.len() / LEAST_SAVED;
            let is_settled = plain / MOST_TRIED > coded || self.layout == Layout::Texts;
            if is_settled || self.plain_estimate(words, form, codecs)? >= most {
                return Ok(made);
            }
            with_words = Some((made, most));
        }
        self.drop_words(plain)?;
        let values = self.written(form, float, codecs)?;
        Ok(match with_words {
            Some((made, most)) if values.data.len() >= most => made,
            _ => values,
        })
    }

    /// Return about the bytes of all values, judged by a page from their middle.
    fn plain_estimate(&self, words: &Words, form: &Form, codecs: &mut Codecs) -> Outcome<usize> {
        let begin = (self.numbers.len() / 2).saturating_sub(MOST_PLAIN_ROWS / 2);
        let (mut page, mut count) = (Vec::new(), 0);
        for number in self.numbers[begin..].iter().take(MOST_PLAIN_ROWS) {
            if page.len() >= form.page_bytes {
                break;
            }
            words.write(*number, &mut page);
            count += 1;
        }
        let stored = codecs.compress(&page, &mut Vec::new())?.len();
        Ok(stored.saturating_mul(self.numbers.len()) / count.max(1))
    }

    /// Return about the bytes of words and indices, the latter judged as in `plain_estimate`.
    fn coded_estimate(&self, words: &Words, codecs: &mut Codecs) -> Outcome<usize> {
        let begin = (self.numbers.len() / 2).saturating_sub(MOST_PLAIN_ROWS / 2);
        let end = self.numbers.len().min(begin + MOST_PLAIN_ROWS);
        let (mut page, mut stored) = (Vec::new(), Vec::new());
        runs::write(&self.numbers[begin..end], words.bits(), &mut page);
        let indices = codecs.compress(&page, &mut stored)?.len();
        let all = indices.saturating_mul(self.numbers.len()) / (end - begin).max(1);
        Ok(all.saturating_add(codecs.compress(words.plain(), &mut stored)?.len()))
    }

    fn written(&self, form: &Form, float: Float, codecs: &mut Codecs) -> Outcome<Made> {
        let mut made = Made {
            entries: self.levels.entries,
            rows: self.levels.rows,
            nulls: self.levels.nulls,
            ..Made::default()
        };
        let mut out = Pages {
            made: &mut made,
            codecs,
            stored: Vec::new(),
        };
        match &self.words {
            Some(words) => {
                out.add(words.plain(), words.count(), PLAIN, true)?;
                self.write_indices(words, form, &mut out)?;
                self.count_floats(words.plain(), float, &mut made);
            }
            None => {
                self.write_plain(form, &mut out)?;
                self.count_floats(&self.plain, float, &mut made);
            }
        }
        Ok(made)
    }

    fn write_indices(&self, words: &Words, form: &Form, out: &mut Pages) -> Outcome<()> {
        let bits = words.bits();
        let fitting = form.page_bytes.saturating_mul(8) / bits as usize / GROUP * GROUP;
        let step = form.page_rows.min(fitting.max(GROUP));
        let (mut start, mut at, mut body) = (0, 0, Vec::new());
        while start < self.levels.entries {
            let entries = self.levels.boundary(start + step) - start;
            body.clear();
            let count = self.levels.write(start, entries, &mut body);
            body.push(bits as u8);
            runs::write(&self.numbers[at..at + count], bits, &mut body);
            at += count;
            out.add(&body, entries, RLE_DICTIONARY, false)?;
            start += entries;
        }
        Ok(())
    }

    fn write_plain(&self, form: &Form, out: &mut Pages) -> Outcome<()> {
        let (mut start, mut data, mut body) = (0, &self.plain[..], Vec::new());
        let (levels, page_rows) = (&self.levels, form.page_rows.min(MOST_PLAIN_ROWS));
        while start < levels.entries {
            let (mut entries, mut length, mut rest) = (0, 0, data);
            while start + entries < levels.entries
                && (entries == 0
                    || entries < page_rows && length < form.page_bytes
                    || !levels.is_boundary(start + entries))
            {
                if levels.has_value(start + entries) {
                    rest = self.layout.first(rest)?.1;
                    length = data.len() - rest.len();
                }
                entries += 1;
            }
            body.clear();
            levels.write(start, entries, &mut body);
            body.extend(&data[..length]);
            out.add(&body, entries, PLAIN, false)?;
            start += entries;
            data = rest;
        }
        Ok(())
    }

    /// Count NaN, and find +0.0, the only value of which no bit is set, among values or words that occur.
    fn count_floats(&self, plain: &[u8], float: Float, made: &mut Made) {
        let width = match float {
            Float::None => return,
            Float::Single => 4,
            Float::Double => 8,
        };
        let is_nan = |raw: &[u8]| match float {
            Float::Single => raw
                .first_chunk()
                .is_some_and(|raw| f32::from_le_bytes(*raw).is_nan()),
            _ => raw
                .first_chunk()
                .is_some_and(|raw| f64::from_le_bytes(*raw).is_nan()),
        };
        let of = |raw: &[u8]| (is_nan(raw), raw.iter().all(|byte| *byte == 0));
        let found: Vec<(bool, bool)> = plain.chunks_exact(width).map(of).collect();
        let mut tally = |one: (bool, bool)| {
            made.nans += usize::from(one.0);
            made.has_plus_zero |= one.1;
        };
        if self.words.is_none() {
            found.into_iter().for_each(tally);
        } else {
            self.numbers
                .iter()
                .for_each(|number| tally(found[*number as usize]));
        }
    }
}

struct Pages<'a> {
    made: &'a mut Made,
    codecs: &'a mut Codecs,
    stored: Vec<u8>,
}

impl Pages<'_> {
    fn add(
        &mut self,
        body: &[u8],
        values: usize,
        encoding: u32,
        is_dictionary: bool,
    ) -> Outcome<()> {
        const LARGE: NotMine = NotMine("a page is too large");
        let stored = self.codecs.compress(body, &mut self.stored)?;
        let fits = |number: usize| i32::try_from(number).map_err(|_| LARGE);
        let made = &mut *self.made;
        let before = made.data.len();
        let sizes = (fits(body.len())?, fits(stored.len())?);
        headers::write(
            fits(values)?,
            encoding,
            sizes,
            crc32fast::hash(stored),
            is_dictionary,
            &mut made.data,
        );
        made.size += made.data.len() - before + body.len();
        made.data
            .try_reserve(stored.len())
            .map_err(|_| NotMine("no memory"))?;
        made.data.extend(stored);
        if is_dictionary {
            made.dictionary_bytes = made.data.len();
        } else {
            made.pages += 1;
        }
        Ok(())
    }
}
