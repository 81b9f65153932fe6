//! Mutants by chance.

/// SplitMix64: the same mutants on every machine.
pub struct Chance(pub u64);

impl Chance {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

pub fn change(data: &mut Vec<u8>, donor: &[u8], chance: &mut Chance) {
    let at = if chance.below(2) == 0 {
        chance.below(data.len().min(48))
    } else {
        chance.below(data.len())
    };
    match chance.below(8) {
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
            let from = chance.below(donor.len());
            let end = (from + chance.below(256)).min(donor.len());
            data.splice(at.., donor[from..end].iter().copied());
        }
        _ => data.extend(donor),
    }
}
