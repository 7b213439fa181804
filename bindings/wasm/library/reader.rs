//! Tables that are read piece by piece. Nothing here waits: if bytes are missing, there is no answer yet, and
//! the caller learns which bytes are missing.

use std::io::ErrorKind;
use std::ops::ControlFlow;

use granero::judge::Judgement;
use granero::notation::PositionText;
use granero::prove::{Budget, ProofProgress, Prover};
use granero::table::{ByteSource, FileEntry, Manifest};
use granero::{Position, TableError, TableOptions, Tables, Value};
use serde::Serialize;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::Question;
use crate::pieces::{PIECE, PiecedFile, Shared};
use granero_answer::document::{
    ErrorCode, ErrorDocument, ErrorJson, LineJson, PositionJson, ServedJudgement,
};
use granero_answer::with_causes;
use granero_answer::{BestLines, PositionAnswer, SERVED_LIMIT, chosen_game};

/// The houses of a position in a batch.
const HOUSES: usize = 12;

/// Stands in batches for a position beyond the tables.
const UNKNOWN: i8 = i8::MIN;

/// Tables that are read piece by piece.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Reader {
    manifest: Manifest,
    pieces: Shared,
    cache: u64,
    /// Once all headers have come.
    tables: Option<Tables>,
}

/// The rules, and the files by their numbers.
#[derive(Serialize)]
struct About<'a> {
    rules: &'static str,
    cycles: &'static str,
    extent: &'static str,
    max_seeds: Option<u8>,
    files: Vec<ListedFile<'a>>,
}

#[derive(Serialize)]
struct ListedFile<'a> {
    seeds: u8,
    #[serde(flatten)]
    file: &'a FileEntry,
}

/// The answer to a question as text. It does not matter while bytes are wanted.
type Answer = Result<String, ErrorJson>;

fn damaged(error: TableError) -> ErrorJson {
    let hint = "are all files those of the same tables, and whole?";
    ErrorJson::new(ErrorCode::DamagedTables, with_causes(&error), hint)
}

/// The error for an answer that needs bytes which are wanted now.
fn not_yet() -> ErrorJson {
    ErrorJson::new(ErrorCode::DamagedTables, "bytes are missing", "")
}

#[wasm_bindgen]
impl Reader {
    /// Tables with the text of their manifest, of which only layers with at most `max_seeds` seeds
    /// are used. `cache` is how many bytes may be kept.
    ///
    /// # Errors
    ///
    /// When the text is not a manifest that this version reads.
    #[wasm_bindgen(constructor)]
    pub fn new(manifest: &str, max_seeds: u8, cache: f64) -> Result<Reader, String> {
        let manifest = Manifest::from_text(manifest);
        let mut manifest = manifest.map_err(|error| with_causes(&error))?;
        manifest.layers.truncate(usize::from(max_seeds) + 1);
        Ok(Reader {
            manifest,
            pieces: Shared::default(),
            cache: cache as u64,
            tables: None,
        })
    }

    /// The rules, and the files by their numbers, as JSON.
    pub fn about(&self) -> String {
        let layers = self.manifest.layers.iter();
        let files = layers.map(|layer| ListedFile {
            seeds: layer.statistics.seeds,
            file: &layer.file,
        });
        crate::json(&About {
            rules: self.manifest.rules.name(),
            cycles: self.manifest.cycles.name(),
            extent: self.manifest.extent.name(),
            max_seeds: self.manifest.finished().checked_sub(1),
            files: files.collect(),
        })
    }

    /// To be called before a question is asked for the first time: forgets bytes if there are too
    /// many.
    pub fn begin(&self) {
        self.pieces.lock().bound(self.cache / 2);
    }

    /// After a question that has no answer yet: the missing bytes, as the number of a file, where they
    /// begin and where they end, and so on.
    pub fn wanted(&self) -> Vec<f64> {
        let wanted = self.pieces.lock().take_wanted().into_iter();
        let lengths: Vec<u64> = self.manifest.files().map(|file| file.bytes).collect();
        let bytes = wanted.flat_map(|(file, pieces)| {
            let end = lengths[file as usize].min(pieces.end * PIECE);
            [f64::from(file), (pieces.start * PIECE) as f64, end as f64]
        });
        bytes.collect()
    }

    /// Takes bytes of a file: from a place where wanted ones begin, or from its beginning.
    pub fn supply(&self, file: u32, start: f64, bytes: &[u8]) {
        if let Some(entry) = self.manifest.files().nth(file as usize) {
            let first = start as u64 / PIECE;
            self.pieces.lock().add(file, entry.bytes, first, bytes);
        }
    }

    /// Answers a question, or says what is wrong with it: JSON for JSON; nothing if bytes are missing.
    pub fn ask(&mut self, question: &str) -> Option<String> {
        self.answer(|reader| {
            let asked = Question::read(question)?;
            let position = || asked.position.parse::<PositionText>();
            match &asked.what[..] {
                "position" => reader.position(&position()?),
                "line" => reader.line(&position()?),
                "prove" => reader.prove(&position()?, asked.budget()),
                "judge" => reader.judge(&asked.text, asked.game, asked.budget()),
                _ => Err(asked.unknown()),
            }
        })
    }

    /// The ranges of many positions, twelve bytes each: for each the least and the most, as far as the tables
    /// tell it. Both are equal if the value is known, and -128 beyond the tables. Nothing if bytes are
    /// missing.
    ///
    /// # Errors
    ///
    /// When these are not positions, or the tables are damaged.
    pub fn ranges(&mut self, positions: &[u8]) -> Result<Option<Vec<i8>>, String> {
        let (positions, rest) = positions.as_chunks::<HOUSES>();
        if !rest.is_empty() {
            return Err("a position is twelve numbers".into());
        }
        let found = self.attempt(|reader| {
            let pieces = reader.pieces.clone();
            let tables = reader.tables()?;
            let range = |houses: &[u8; HOUSES]| {
                let position = Position::new(*houses)
                    .map_err(|error| ErrorJson::impossible_position(error.to_string()))?;
                match tables.clamped_value(&position) {
                    Ok(Some(value)) => Ok(value.range(position.seeds()).map(Value::seeds)),
                    // All positions say what they lack.
                    Err(error) if !pieces.lock().is_wanting() => Err(damaged(error)),
                    Ok(None) | Err(_) => Ok([UNKNOWN; 2]),
                }
            };
            positions.iter().map(range).collect::<Result<Vec<_>, _>>()
        });
        let found = found.map_err(|error| error.message)?;
        Ok(found.map(Vec::into_flattened))
    }
}

impl Reader {
    /// The value of a position and its moves, as `/api/v1/{rules}/position` answers it.
    fn position(&mut self, text: &PositionText) -> Answer {
        let answer = PositionAnswer::new(self.tables()?, text).map_err(damaged)?;
        Ok(crate::json(&PositionJson::served(&answer)))
    }

    /// The best line, as `/api/v1/{rules}/line` answers it.
    fn line(&mut self, text: &PositionText) -> Answer {
        let tables = self.tables()?;
        let found = BestLines::find(tables, text, SERVED_LIMIT, &mut |_| {});
        let found = found.map_err(damaged)?;
        let line = LineJson::new(tables, text, found.as_ref());
        Ok(crate::json(&line.served(text)))
    }

    /// The document of `position`, and beyond the tables what a search proves.
    fn prove(&mut self, text: &PositionText, budget: Option<Budget>) -> Answer {
        let files = self.files();
        let tables = self.tables()?;
        let mut answer = PositionAnswer::new(tables, text).map_err(damaged)?;
        if answer.is_beyond()
            && let Some(budget) = budget
        {
            load_whole(&files)?;
            let proof = Prover::new(tables).prove(&text.position(), budget, go_on);
            answer.prove(&proof.map_err(damaged)?);
        }
        Ok(crate::json(&PositionJson::served(&answer)))
    }

    /// Judges one of the games in a text, as `/api/v1/{rules}/judge` answers it. A search from each position beyond the
    /// tables needs the files whole.
    fn judge(&mut self, text: &str, number: usize, budget: Option<Budget>) -> Answer {
        let (game, games) = chosen_game(text, number)?;
        let files = self.files();
        let tables = self.tables()?;
        match budget {
            Some(_) => load_whole(&files)?,
            None => {
                for ply in game.plies(tables.rules()).flatten() {
                    // All positions say what they lack, not only the first that lacks something.
                    let _ = tables.assess(&ply.before.position());
                }
            }
        }
        let judgement = Judgement::with_search(tables, &game, budget, go_on).map_err(damaged)?;
        let judged = ServedJudgement::new(tables, &game, &judgement, games, [0; 2]);
        Ok(crate::json(&judged))
    }
}

fn go_on(_: &ProofProgress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Asks for what is missing of any file: a search looks at positions everywhere.
fn load_whole(files: &[PiecedFile]) -> Result<(), ErrorJson> {
    let lacks_bytes = |file: &&PiecedFile| file.bytes(0..file.length).is_err();
    match files.iter().filter(lacks_bytes).count() {
        0 => Ok(()),
        _ => Err(not_yet()),
    }
}

impl Reader {
    /// The tables, once their headers have come.
    fn tables(&mut self) -> Result<&Tables, ErrorJson> {
        if self.tables.is_none() {
            self.tables = Some(self.open()?);
        }
        self.tables.as_ref().ok_or_else(not_yet)
    }

    fn files(&self) -> Vec<PiecedFile> {
        let file = |(number, entry): (u32, &FileEntry)| PiecedFile {
            number,
            length: entry.bytes,
            pieces: self.pieces.clone(),
        };
        (0..).zip(self.manifest.files()).map(file).collect()
    }

    fn open(&self) -> Result<Tables, ErrorJson> {
        let files = self.files();
        for file in &files {
            // Its header; for all files at once.
            let _ = file.bytes(0..file.length.min(PIECE));
        }
        let mut files = files.into_iter();
        if self.pieces.lock().is_wanting() {
            return Err(not_yet());
        }
        let options = TableOptions::new().cache_bytes(self.cache / 2);
        let tables = options.open_sources(&self.manifest.to_text(), |_| {
            let file = files.next().ok_or(ErrorKind::NotFound)?;
            Ok(Box::new(file) as Box<dyn ByteSource>)
        });
        tables.map_err(damaged)
    }

    /// The answer to a question as text, or the document of an error.
    fn answer(&mut self, question: impl FnOnce(&mut Reader) -> Answer) -> Option<String> {
        let answer = self.attempt(question);
        answer.unwrap_or_else(|error| Some(crate::json(&ErrorDocument { error })))
    }

    /// The answer to a question; `None` if bytes are missing.
    fn attempt<T>(
        &mut self,
        question: impl FnOnce(&mut Reader) -> Result<T, ErrorJson>,
    ) -> Result<Option<T>, ErrorJson> {
        let answer = question(self);
        // Also where an answer does without what it lacks.
        if self.pieces.lock().is_wanting() {
            return Ok(None);
        }
        answer.map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Has a question answered with the files of a directory; returns how often bytes were missing.
    fn ask(reader: &mut Reader, directory: &str, question: &str) -> (String, usize) {
        let files = reader.manifest.files();
        let names: Vec<String> = files.map(|file| file.name.clone()).collect();
        reader.begin();
        for fetches in 0.. {
            if let Some(answer) = reader.ask(question) {
                return (answer, fetches);
            }
            let wanted = reader.wanted();
            assert!(!wanted.is_empty());
            for range in wanted.chunks(3) {
                let bytes = std::fs::read(format!("{directory}/{}", names[range[0] as usize]));
                let place = range[1] as usize..range[2] as usize;
                reader.supply(range[0] as u32, range[1], &bytes.unwrap()[place]);
            }
        }
        unreachable!()
    }

    /// The tests of the package compare answers with the program's.
    #[test]
    fn answers_say_at_once_what_they_lack() {
        for (directory, range) in [
            ("../../../src/table/sample", "\"value\":2"),
            ("../../../src/table/sample/own-side", "\"low\":2,\"high\":6"),
        ] {
            let manifest = std::fs::read_to_string(format!("{directory}/granero.json")).unwrap();
            let mut reader = Reader::new(&manifest, 48, 1e6).unwrap();
            let text = "0-0-0-3-0-1-0-0-0-0-0-2-20-22-S";
            let position = format!(r#"{{"what": "position", "position": "{text}"}}"#);
            let (answer, fetches) = ask(&mut reader, directory, &position);
            assert!(answer.contains(range), "{answer}");
            assert!(
                fetches <= 3,
                "headers, indexes and models, blocks: {fetches}"
            );
            let game = format!(r#"[FEN \"{text}\"]\n1. D f 2. F *"#);
            let judge =
                format!(r#"{{"what": "judge", "text": "{game}", "game": 1, "positions": 0}}"#);
            let (judged, fetches) = ask(&mut reader, directory, &judge);
            assert!(judged.contains("\"length\":3,\"beyond\":0"), "{judged}");
            assert!(fetches <= 2, "all moves at once: {fetches}");
            for wrong in ["", "{}", r#"{"what": "fly", "position": "0 1"}"#] {
                let wrong = reader.ask(wrong).unwrap();
                assert!(wrong.contains("\"code\":\"bad-json\""), "{wrong}");
            }
            assert!(reader.ranges(&[4; 13]).is_err());
            assert!(reader.ranges(&[40; 12]).is_err());
            assert!(Reader::new(&manifest.replace("abapa", "awari"), 48, 1e6).is_err());
        }
    }
}
