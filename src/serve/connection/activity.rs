//! The activity of a connection, which decides whether it can be evicted.

use std::time::Instant;

/// An activity. Connections are evicted in this order, and only if they are idle or receive a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Activity {
    /// No request, or its head is arriving.
    Idle,
    /// The body of a request is arriving.
    ReceivingBody,
    /// A request is being answered.
    Answering,
    /// The answer is being sent.
    SendingAnswer,
    /// It was evicted, and is about to close.
    Closing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Since {
    pub(super) activity: Activity,
    start: Instant,
}

impl Since {
    pub(super) fn now(activity: Activity) -> Since {
        Since {
            activity,
            start: Instant::now(),
        }
    }
}
