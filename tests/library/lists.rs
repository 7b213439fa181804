//! Most places that name rulesets or notations take them from a list. These tests check the rest: the places
//! that must be written by hand.

use std::fs;
use std::path::Path;

use granero::Ruleset;
use granero::notation::NOTATIONS;

/// Checks that a file of the repository holds a text.
fn holds(file: &str, text: &str) {
    let found = fs::read_to_string(Path::new("../..").join(file)).unwrap();
    assert!(found.contains(text), "{file} lacks {text:?}");
}

#[test]
fn every_ruleset_is_where_it_must_be() {
    for ruleset in Ruleset::ALL {
        let name = ruleset.name();
        let quoted = format!("\"{name}\"");
        holds("bindings/wasm/index.d.ts", &quoted);
        holds("bindings/c/granero.c", &quoted);
        holds("docs/rules.md", &format!("\n| `{name}` "));
        holds("README.md", &format!("`{name}`"));
        holds("tools/read_tables.py", &format!("{quoted}: Rules("));
        holds("tests/support/twin.rs", &format!("{quoted} => {{"));
        for language in ["ca", "en", "es", "fr", "it"] {
            let texts = format!("src/serve/web/i18n/{language}.json");
            holds(&texts, &format!("\"rules.{name}\": "));
            holds(&texts, &format!("\"rules.{name}.about\": "));
        }
    }
}

#[test]
fn every_notation_is_where_it_must_be() {
    for notation in &NOTATIONS {
        holds("docs/rules.md", notation.example);
    }
}
