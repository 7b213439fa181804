//! Any bytes as the commands of a board to granero as an engine, and as the answers of an engine.

use std::io::Cursor;

use granero::Access;
use granero_cli::uci::{self, Session};

/// Panics unless each question gets exactly one answer.
///
/// Each search is stopped as soon as it has started, so that it takes no time.
pub fn run(bytes: &[u8]) {
    let mut questions = Vec::new();
    let (mut searches, mut readiness) = (0, 0);
    let mut is_over = false;
    for line in bytes.split(|&byte| byte == b'\n') {
        let text = String::from_utf8_lossy(line);
        let _ = uci::answer(&text);
        questions.extend_from_slice(line);
        questions.push(b'\n');
        let command = text.trim().split(char::is_whitespace).next();
        match command.filter(|_| !is_over) {
            Some("go") => {
                questions.extend(b"stop\n");
                searches += 1;
            }
            Some("isready") => readiness += 1,
            Some("quit") => is_over = true,
            _ => {}
        }
    }
    let mut answers = Vec::new();
    let mut session = Session::open("no/tables/here", Access::Map).unwrap();
    session.run(Cursor::new(questions), &mut answers).unwrap();
    let answers = String::from_utf8(answers).unwrap();
    let count = |word| {
        let is_this = |line: &&str| line.split(' ').next() == Some(word);
        answers.lines().filter(is_this).count()
    };
    assert_eq!(count("bestmove"), searches, "{answers}");
    assert_eq!(count("readyok"), readiness, "{answers}");
}
