//! Measures how much the prover proves of positions beyond the tables.
//!
//! ```text
//! cargo bench -p granero-benches --bench prove -- curve DB [COUNT] [OPEN] [THREADS] [GIB]
//! cargo bench -p granero-benches --bench prove -- draw SEEDS
//! ```
//!
//! `curve` takes the tables in DB up to 15 seeds, and asks for the first COUNT positions of `data/prove/`. Larger tables
//! in DB check the proofs.
//!
//! It has budgets of 0.01 to 100 seconds, and prints a table: the share of positions whose value is
//! proven, the share whose winner is (or that it is a draw), and the rate.
//! The largest three budgets go to OPEN of the positions that three seconds leave open, which stand for
//! all of these. It needs a quiet machine. COUNT is 1000, OPEN 10, THREADS 1 and GIB, the memory of a
//! search, 4 unless they are given.
//!
//! `draw` prints 1,000 positions with SEEDS seeds, reached by play from the opening.

mod curve;
mod draw;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let number = |place: usize, default: f64| {
        let text = arguments.get(place).copied();
        text.and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    match arguments[..] {
        ["draw", ..] => draw::draw(number(1, 16.0) as u8),
        ["curve", db, ..] => {
            let extent = curve::Extent {
                count: number(2, 1000.0) as usize,
                open: number(3, 10.0).max(1.0) as usize,
                threads: number(4, 1.0) as usize,
                memory: (number(5, 4.0) * f64::from(1 << 30)) as u64,
            };
            curve::curve(db, &extent);
        }
        // `cargo test` runs this without arguments.
        _ => println!("curve DB [COUNT] [OPEN] [THREADS] [GIB] | draw SEEDS"),
    }
}
