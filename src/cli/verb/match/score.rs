//! The score of a match, and how sure it is.

use std::fmt;

use granero_answer::documents;

/// The points of the first engine: 2 for a win and 1 for a draw, by opening, of which each is played
/// twice.
#[derive(Clone, Debug, Default)]
pub(crate) struct Score {
    pairs: Vec<[u8; 2]>,
}

impl Score {
    /// Adds the results of the two games of an opening, as the first engine sees them.
    pub(crate) fn add(&mut self, results: [i32; 2]) {
        self.pairs
            .push(results.map(|result| (1 + result.signum()) as u8));
    }

    fn count(&self, points: u8) -> usize {
        let games = self.pairs.iter().flatten();
        games.filter(|&&game| game == points).count()
    }

    /// Returns the share of all points, between the ends of its 95 % interval. One opening alone gives no interval.
    ///
    /// The two games of an opening count together, because the opening may favour one side, so that they
    /// depend on each other.
    fn share(&self) -> [f64; 3] {
        let count = self.pairs.len() as f64;
        let shares = || {
            let pairs = self.pairs.iter();
            pairs.map(|[one, other]| f64::from(one + other) / 4.0)
        };
        let middle = shares().sum::<f64>() / count;
        let squares: f64 = shares().map(|share| (share - middle).powi(2)).sum();
        let error = (squares / (count - 1.0) / count).sqrt();
        let [low, high] = [middle - 1.96 * error, middle + 1.96 * error];
        [low.max(0.0), middle, high.min(1.0)]
    }
}

/// Returns the Elo difference for a share of the points; infinite if one engine won all.
fn elo(share: f64) -> f64 {
    400.0 * (share / (1.0 - share)).log10()
}

documents! {
    /// The counts, the share of the points and the difference in Elo.
    pub(super) struct ScoreJson(score: &Score) {
        let share_of_points = score.share();
        /// The openings, each played twice.
        openings: usize = score.pairs.len(),
        /// Games that the first engine won.
        won: usize = score.count(2),
        drawn: usize = score.count(1),
        lost: usize = score.count(0),
        /// The first engine's share of the points.
        share: EstimateJson = EstimateJson::new(share_of_points, |share| share),
        /// The difference in Elo.
        elo: EstimateJson = EstimateJson::new(share_of_points, elo),
    }

    /// An estimate and its 95 % interval.
    #[schemars(rename = "Interval")]
    struct EstimateJson(shares: [f64; 3], of: impl Fn(f64) -> f64) {
        let [least, middle, most] = shares.map(|share| Some(of(share)).filter(|number| number.is_finite()));
        /// `null` if infinite or unknown.
        estimate: Option<f64> = middle,
        /// The least of the interval (95 %).
        low: Option<f64> = least,
        /// The most.
        high: Option<f64> = most,
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [lost, drawn, won] = [0, 1, 2].map(|points| self.count(points));
        let [low, middle, high] = self.share();
        writeln!(f, "won {won}, drawn {drawn}, lost {lost}")?;
        let points = won as f64 + drawn as f64 / 2.0;
        let games = won + drawn + lost;
        write!(f, "points {points:.1} of {games}: {:.1} %", middle * 100.0)?;
        let has_interval = self.pairs.len() > 1;
        if has_interval {
            let [low, high] = [low, high].map(|share| share * 100.0);
            write!(f, ", 95 % interval {low:.1} to {high:.1}")?;
        }
        let [low, middle, high] = [low, middle, high].map(elo);
        write!(f, "\nElo difference {middle:+.0}")?;
        if has_interval {
            write!(f, ", 95 % interval {low:+.0} to {high:+.0}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_and_their_error() {
        let mut score = Score::default();
        for _ in 0..30 {
            score.add([7, 2]);
            score.add([3, -3]);
            score.add([-1, 0]);
            score.add([1, 0]);
        }
        // Shares of 1, 1/2, 1/4, 3/4: a mean of 0.625, a deviation of 0.2795.
        let text = "won 120, drawn 60, lost 60\n\
                    points 150.0 of 240: 62.5 %, 95 % interval 57.5 to 67.5\n\
                    Elo difference +89, 95 % interval +52 to +127";
        assert_eq!(score.to_string(), text);
    }

    #[test]
    fn one_who_wins_all_is_better_without_end() {
        let mut score = Score::default();
        score.add([5, 5]);
        let text = "won 2, drawn 0, lost 0\npoints 2.0 of 2: 100.0 %\nElo difference +inf";
        assert_eq!(score.to_string(), text);
        // A second opening gives an interval.
        score.add([5, 5]);
        let text = score.to_string();
        assert!(text.ends_with("+inf, 95 % interval +inf to +inf"), "{text}");
    }
}
