//! Random numbers, the same on every machine.

/// The generator SplitMix64 by Steele, Lea and Flood: small, well known, and good enough to draw positions.
#[derive(Debug)]
pub struct SplitMix64 {
    state: u64,
}

/// Added to the state for each number: the golden ratio, made odd.
const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

impl SplitMix64 {
    /// A generator that starts from this seed.
    pub fn new(seed: u64) -> SplitMix64 {
        SplitMix64 { state: seed }
    }

    /// One of many generators with the same seed. Another generator draws the state in which each
    /// starts, so that no two produce the same numbers, whatever their seeds.
    pub fn stream(seed: u64, stream: u64) -> SplitMix64 {
        let mut starts = SplitMix64::new(seed.wrapping_add(GAMMA.wrapping_mul(stream)));
        SplitMix64::new(starts.next())
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GAMMA);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`, all equally likely.
    pub fn below(&mut self, end: u64) -> u64 {
        // The last numbers do not fill a round: with them, small results would be more likely.
        let last_round = u64::MAX - u64::MAX % end;
        loop {
            let number = self.next();
            if number < last_round {
                return number % end;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_generator_gives_the_published_numbers() {
        let mut random = SplitMix64::new(1_234_567);
        let numbers = [(); 5].map(|()| random.next());
        assert_eq!(
            numbers,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423,
                4_593_380_528_125_082_431,
                16_408_922_859_458_223_821,
            ]
        );
    }

    #[test]
    fn streams_have_no_numbers_in_common() {
        let mut starts = SplitMix64::new(5);
        for stream in 0..49 {
            let state = SplitMix64::stream(5, stream).state;
            assert_eq!(state, starts.next());
        }
        let mut seen = HashSet::new();
        for seed in 0..8 {
            for stream in 0..49 {
                let mut random = SplitMix64::stream(seed, stream);
                assert!((0..100).all(|_| seen.insert(random.next())));
            }
        }
    }
}
