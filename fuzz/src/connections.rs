//! Any bytes as what a client sends on a connection to the server: requests one after the other,
//! or something else.

use std::sync::LazyLock;

use granero_serve::fuzzing::{Conversation, Site};

use super::answers::{self, Answer};

static SITE: LazyLock<Site> = LazyLock::new(|| Site::new().unwrap());

/// The longest input that is sent in other pieces, too. A head is too long when hyper's buffer is
/// full, and with longer inputs it depends on the pieces when that is.
const LONGEST: usize = 4 << 10;

/// Panics if an answer is wrong, if a request does not get exactly one, or if there are others when
/// the bytes come in other pieces or twice.
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
    // Empty lines are read past before a request, and at the end half of one, too.
    let ends_well = once.was_http && !bytes.ends_with(b"\r");
    if ends_well && !answers.last().is_some_and(Answer::closes) {
        let twice = SITE.converse(&bytes.repeat(2), usize::MAX);
        assert_eq!(twice.methods, [&once.methods[..]; 2].concat());
        let twice = answered(&twice);
        let (first, second) = twice.split_at(answers.len());
        assert!(first == answers && second == answers);
    }
}

/// The answers to requests, without what depends on the time.
///
/// What is not HTTP gets an answer or none: that depends on the pieces in which it comes, for hyper
/// does not look at it each time.
fn answered(conversation: &Conversation) -> Vec<Answer> {
    let mut answers = answers::of(conversation);
    answers.truncate(conversation.methods.len());
    for answer in &mut answers {
        answer.forget_time();
    }
    answers
}
