//! Most places that name rulesets or notations take them from a list. These tests check the rest: the places
//! that must be written by hand.

use std::fs;
use std::path::Path;

use granero::Ruleset;
use granero::notation::NOTATIONS;

/// Collects missing texts, so that one run reports all of them.
#[derive(Default)]
struct Missing(String);

impl Missing {
    /// Looks for a text in a file of the repository.
    fn look(&mut self, file: &str, text: &str) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../..")
            .join(file);
        let found = fs::read_to_string(path).unwrap();
        if !found.contains(text) {
            self.0 += &format!("\n{file} lacks {text:?}");
        }
    }
}

impl Drop for Missing {
    fn drop(&mut self) {
        assert!(self.0.is_empty(), "{}", self.0);
    }
}

#[test]
fn every_ruleset_is_where_it_must_be() {
    let mut missing = Missing::default();
    for ruleset in Ruleset::ALL {
        let name = ruleset.name();
        let quoted = format!("\"{name}\"");
        missing.look("bindings/wasm/index.d.ts", &quoted);
        missing.look("bindings/c/granero.c", &quoted);
        missing.look("docs/rules.md", &format!("\n| `{name}` "));
        missing.look("README.md", &format!("`{name}`"));
        missing.look("tools/read_tables.py", &format!("{quoted}: Rules("));
        missing.look("tests/support/twin.rs", &format!("{quoted} => {{"));
        for language in ["ca", "en", "es", "fr", "it"] {
            let texts = format!("src/serve/web/i18n/{language}.json");
            missing.look(&texts, &format!("\"rules.{name}\": "));
            missing.look(&texts, &format!("\"rules.{name}.about\": "));
        }
    }
}

#[test]
fn every_notation_is_where_it_must_be() {
    let mut missing = Missing::default();
    for notation in &NOTATIONS {
        missing.look("docs/rules.md", notation.example);
    }
}
