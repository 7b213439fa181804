//! Any bytes on a connection to the server: requests one after the other, or something else.

use std::sync::LazyLock;

use granero_serve::fuzzing::{Conversation, Site};

use super::answers::{self, Answer};

static SITE: LazyLock<Site> = LazyLock::new(|| Site::new().unwrap());

/// The longest input that is also sent in other pieces. A head is too long when hyper's buffer is full, and
/// for longer inputs this depends on the pieces.
const LONGEST: usize = 4 << 10;

/// Panics if an answer is wrong, if a request does not get exactly one, or if answers change when the bytes
/// come in other pieces or twice.
pub fn run(bytes: &[u8]) {
    let once = SITE.converse(bytes, usize::MAX);
    let answers = answered(&once);
    if bytes.len() > LONGEST {
        return;
    }
    for at_a_time in [1, 13] {
        let slowly = SITE.converse(bytes, at_a_time);
        assert_eq!(slowly.methods, once.methods);
        assert_eq!(answered(&slowly), answers);
    }
    // The server skips empty lines before a request, and half of one at the end.
    let ends_well = once.was_http && !bytes.ends_with(b"\r");
    if ends_well && !answers.last().is_some_and(Answer::closes) {
        let twice = SITE.converse(&bytes.repeat(2), usize::MAX);
        assert_eq!(twice.methods, [&once.methods[..]; 2].concat());
        let twice = answered(&twice);
        let (first, second) = twice.split_at(answers.len());
        assert!(first == answers && second == answers);
    }
}

/// The answers to requests, without the parts that depend on the time.
///
/// Bytes that are not HTTP get an answer or none. This depends on the pieces in which they come, because
/// hyper does not look at each piece.
fn answered(conversation: &Conversation) -> Vec<Answer> {
    let mut answers = answers::of(conversation);
    answers.truncate(conversation.methods.len());
    for answer in &mut answers {
        answer.forget_time();
    }
    answers
}
