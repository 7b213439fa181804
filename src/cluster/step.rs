//! A step in which processes exchange news: they count messages to find out when it is over.

use std::collections::VecDeque;

use crate::carry::{Cluster, ClusterError, Message, Purpose, bad, from_bytes, to_bytes};

/// The step that a process is in. One thread at a time deals with it.
pub(crate) struct Step<'a> {
    pub(crate) cluster: &'a mut Cluster,
    /// By process: messages that are on their way out.
    pub(crate) outgoing: Vec<VecDeque<Message>>,
    /// By process: the number of messages with news that were sent there in this step.
    sent: Vec<u64>,
    /// By process: the number of messages with news that have arrived from there.
    pub(crate) received: Vec<u64>,
    /// The counts that were reported last.
    reported: Option<Vec<u64>>,
    /// A report that is not sent yet.
    report: Option<Message>,
    /// At process 0, by process: the last report.
    reports: Vec<Option<Vec<u64>>>,
    pub(crate) is_over: bool,
}

impl<'a> Step<'a> {
    pub(crate) fn new(cluster: &'a mut Cluster) -> Step<'a> {
        let processes = cluster.processes();
        Step {
            cluster,
            outgoing: (0..processes).map(|_| VecDeque::new()).collect(),
            sent: vec![0; processes],
            received: vec![0; processes],
            reported: None,
            report: None,
            reports: vec![None; processes],
            is_over: false,
        }
    }

    /// Begins the next step, as all processes do.
    pub(crate) fn begin(&mut self) {
        self.cluster.begin_step();
        self.sent.fill(0);
        self.received.fill(0);
        self.reported = None;
        self.report = None;
        self.reports.fill(None);
        self.is_over = false;
    }

    /// Sends the next message for a process, if there is one and it is possible now. Returns whether
    /// it did.
    pub(crate) fn send_next(&mut self, to: usize) -> Result<bool, ClusterError> {
        let mut message = self.outgoing[to].pop_front();
        if message.is_none() {
            return Ok(false);
        }
        if !self.cluster.try_send(to, Purpose::News, &mut message)? {
            let back = message.expect("a message that is not sent");
            self.outgoing[to].push_front(back);
            return Ok(false);
        }
        self.sent[to] += 1;
        Ok(true)
    }

    /// Takes a message without news.
    pub(crate) fn take(
        &mut self,
        from: usize,
        purpose: Purpose,
        message: &Message,
    ) -> Result<(), ClusterError> {
        match purpose {
            Purpose::Report if self.cluster.process() == 0 => {
                let numbers = from_bytes(message.body(), 2 * self.reports.len(), from)?;
                self.reports[from] = Some(numbers);
            }
            Purpose::Over if from == 0 => self.is_over = true,
            _ => return Err(bad(from, "is not what was expected")),
        }
        Ok(())
    }

    /// Tells process 0 what was sent and received, unless it knows. Process 0 finds out whether the
    /// step is over, and tells the others.
    pub(crate) fn report(&mut self) -> Result<(), ClusterError> {
        let counts: Vec<u64> = self.sent.iter().chain(&self.received).copied().collect();
        if self.cluster.process() > 0 {
            if self.reported.as_ref() != Some(&counts) {
                // A report that was not sent yet is out of date.
                self.report = Some(Message::of(&to_bytes(&counts)));
                self.reported = Some(counts);
            }
            self.cluster
                .try_send(0, Purpose::Report, &mut self.report)?;
            return Ok(());
        }
        self.reports[0] = Some(counts);
        if self.awaited().is_empty() {
            for other in self.cluster.others() {
                self.cluster.send(other, Purpose::Over, Message::new())?;
            }
            self.is_over = true;
        }
        Ok(())
    }

    /// The processes whose report is missing. At process 0 these are the processes that do not report
    /// as many messages from each other one as that one reports to have sent there; elsewhere it is
    /// process 0, which says when the step is over.
    pub(crate) fn awaited(&self) -> Vec<usize> {
        if self.cluster.process() > 0 {
            return vec![0];
        }
        let processes = self.reports.len();
        let number = |process: usize, place: usize| Some(self.reports[process].as_ref()?[place]);
        let has_arrived = |from: usize, to: usize| {
            let sent = number(from, to);
            sent.is_none_or(|sent| number(to, processes + from) == Some(sent))
        };
        let is_awaited = |&to: &usize| {
            self.reports[to].is_none() || !(0..processes).all(|from| has_arrived(from, to))
        };
        (0..processes).filter(is_awaited).collect()
    }
}
