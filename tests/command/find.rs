//! `granero find`: positions of a layer that satisfy a condition.

use crate::program::with_sample;
use crate::support::command::{shows, stdout};

/// The page is right about its examples.
#[test]
fn the_examples_of_the_page_are_found() {
    let page = include_str!("../../src/serve/web/examples.js");
    for (example, conditions) in [
        ("tempting", "--only-winning --stake 6"),
        ("harvest", "--only-winning --value 8 --stake 12"),
        ("feed", "--moves 1 --value 2"),
    ] {
        shows(page, &format!("`{conditions}`"));
        let (_, text) = page
            .split_once(&format!("\"example.{example}\": \""))
            .unwrap();
        let houses: Vec<&str> = text.split('-').take(12).collect();
        let arguments = "find --layer 8 --format tsv --show 10000".split(' ');
        let arguments: Vec<&str> = arguments.chain(conditions.split(' ')).collect();
        let found = with_sample(&arguments, b"");
        shows(stdout(&found), &format!("\n{}\t", houses.join(" ")));
    }
}
