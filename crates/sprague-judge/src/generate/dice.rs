//! The generator behind every random choice: SplitMix64, fixed for good, so that a seed means the same bytes anywhere.

/// SplitMix64 (Steele, Lea and Flood, Fast splittable pseudorandom number generators, 2014): a counter with a step of
/// the golden ratio, scrambled by Stafford's thirteenth mixer. No crate's version has a say in it.
#[derive(Debug, Clone)]
pub(super) struct Dice(u64);

const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

impl Dice {
    /// The dice of a seed.
    pub(super) fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    /// Dice of their own for each `index`, whatever else was thrown.
    pub(super) fn apart(&self, index: u64) -> Dice {
        Dice(scramble(self.0 ^ scramble(index.wrapping_add(STEP))))
    }

    /// The next 64 bits.
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        scramble(self.0)
    }

    /// A number below `end`, which is not 0: the high half of a product, whose bias of `end` in 2^64 nobody can see.
    pub(super) fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(end)) >> 64) as u64
    }

    /// A number from `low` to `high`, both included.
    pub(super) fn between(&mut self, low: u64, high: u64) -> u64 {
        debug_assert!(low <= high);
        match high - low {
            u64::MAX => self.next(),
            span => low + self.below(span + 1),
        }
    }

    /// Whether something comes to pass that does `of` times in `out_of`.
    pub(super) fn chance(&mut self, of: u64, out_of: u64) -> bool {
        self.below(out_of) < of
    }

    /// One of several.
    pub(super) fn pick<'a, T>(&mut self, among: &'a [T]) -> &'a T {
        &among[self.below(among.len() as u64) as usize]
    }

    /// Puts things into any order.
    pub(super) fn shuffle<T>(&mut self, things: &mut [T]) {
        for last in (1..things.len()).rev() {
            things.swap(last, self.below(last as u64 + 1) as usize);
        }
    }
}

fn scramble(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ (word >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_values_are_the_published_ones() {
        // Rosetta Code, "Pseudo-random numbers/Splitmix64", seed 1234567; the authors' C program gives the same.
        let mut dice = Dice::new(1_234_567);
        let values = [(); 5].map(|()| dice.next());
        let published = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        assert_eq!(values, published);
    }

    #[test]
    fn every_number_of_a_range_comes_and_no_other() {
        let mut dice = Dice::new(7);
        let mut seen = [0; 6];
        for _ in 0..6000 {
            seen[dice.between(10, 15) as usize - 10] += 1;
        }
        assert!(seen.iter().all(|&count| (900..1100).contains(&count)), "{seen:?}");
        assert_eq!(dice.between(3, 3), 3);
        let mut order: Vec<u32> = (0..20).collect();
        dice.shuffle(&mut order);
        assert_ne!(order, (0..20).collect::<Vec<_>>());
        order.sort_unstable();
        assert_eq!(order, (0..20).collect::<Vec<_>>());
    }

    #[test]
    fn dice_apart_do_not_repeat_each_other() {
        let dice = Dice::new(1);
        let mut firsts: Vec<u64> = (0..1000).map(|index| dice.apart(index).next()).collect();
        firsts.sort_unstable();
        firsts.dedup();
        assert_eq!(firsts.len(), 1000);
    }
}
