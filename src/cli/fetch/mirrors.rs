//! Hosts of the same files.

use granero_console::failure::Failure;

use super::host::{Host, Settings, joined};

/// Hosts that are asked in turn.
pub(crate) struct Mirrors {
    all: Vec<(String, Host)>,
    /// The one that is asked now.
    pub(super) turn: usize,
}

impl Mirrors {
    /// Prepares to ask the hosts of some addresses, at least one.
    pub(crate) fn of(
        urls: impl IntoIterator<Item = String>,
        settings: &Settings<'_>,
    ) -> Result<Mirrors, Failure> {
        let hosts = urls.into_iter().map(|url| {
            let host = Host::of(&url, settings)?;
            Ok((url, host))
        });
        Ok(Mirrors {
            all: hosts.collect::<Result<_, Failure>>()?,
            turn: 0,
        })
    }

    pub(crate) fn count(&self) -> usize {
        self.all.len()
    }

    pub(crate) fn host(&self) -> &Host {
        &self.all[self.turn].1
    }

    /// Returns the address of a file.
    pub(crate) fn address(&self, name: &str) -> String {
        format!("{}/{name}", self.all[self.turn].0)
    }

    /// Turns to the next host.
    pub(crate) fn next(&mut self) {
        self.turn = (self.turn + 1) % self.all.len();
    }

    /// Enters a folder of each host, whose place is relative to the present one, or an address. Hosts that come to
    /// the same address become one.
    pub(crate) fn enter(
        &mut self,
        place: &str,
        check: impl Fn(&str) -> Result<String, String>,
    ) -> Result<(), String> {
        for (url, _) in &mut self.all {
            *url = check(&joined(&format!("{url}/"), place))?;
        }
        self.all
            .dedup_by(|(later, _), (earlier, _)| later == earlier);
        self.turn = self.turn.min(self.all.len() - 1);
        Ok(())
    }
}
