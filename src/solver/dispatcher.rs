//! Orders: from where a row of news is served to the positions that it concerns.

use super::exchange::Exchange;
use super::parcels::{Orders, Reports};
use super::task::Task;
use super::updating::Updating;

/// The orders of a worker, for the others and for itself, and those that it is given.
#[derive(Debug)]
pub(super) struct Dispatcher<'a> {
    id: usize,
    exchange: &'a Exchange<Reports, Orders>,
    /// By worker: to be sent, or to be carried out.
    outgoing: Vec<Orders>,
    /// What has come, while it is carried out; otherwise empty.
    received: Orders,
}

/// The positions in a worker's own orders that are worth carrying them out.
const OWN_ORDERS: usize = 512;

impl<'a> Dispatcher<'a> {
    pub(super) fn new(id: usize, task: Task<'a>) -> Dispatcher<'a> {
        Dispatcher {
            id,
            exchange: task.exchange,
            outgoing: task.layouts.iter().map(|_| Orders::new()).collect(),
            received: Orders::new(),
        }
    }

    /// The orders for a worker. They have room for `groups` more groups with `positions`
    /// positions in total.
    #[inline(always)]
    pub(super) fn orders(
        &mut self,
        to: usize,
        groups: usize,
        positions: usize,
        updating: &mut Updating<'_, '_>,
    ) -> &mut Orders {
        if !self.outgoing[to].has_room(groups, positions) {
            self.make_room(to, updating);
        }
        &mut self.outgoing[to]
    }

    /// Empties the orders for a worker.
    #[cold]
    fn make_room(&mut self, to: usize, updating: &mut Updating<'_, '_>) {
        if to == self.id {
            self.carry_out_own(updating);
        } else {
            self.send(to, updating);
        }
    }

    /// Carries out the worker's own orders if there are enough of them.
    pub(super) fn carry_out_enough(&mut self, updating: &mut Updating<'_, '_>) {
        if self.outgoing[self.id].positions() >= OWN_ORDERS {
            self.carry_out_own(updating);
        }
    }

    /// Carries out the worker's own orders.
    pub(super) fn carry_out_own(&mut self, updating: &mut Updating<'_, '_>) {
        let own = &mut self.outgoing[self.id];
        updating.carry_out(own);
        own.clear();
    }

    /// Carries out orders that have come, and says whether there were any.
    pub(super) fn receive(&mut self, updating: &mut Updating<'_, '_>) -> bool {
        if self.outgoing.len() == 1 {
            return false;
        }
        let received = self.exchange.receive_orders(self.id, &mut self.received);
        updating.carry_out(&self.received);
        self.received.clear();
        received
    }

    /// Sends all that is left to the others.
    pub(super) fn send_all(&mut self, updating: &mut Updating<'_, '_>) {
        for worker in 0..self.outgoing.len() {
            if worker != self.id && !self.outgoing[worker].is_empty() {
                self.send(worker, updating);
            }
        }
    }

    /// Sends the orders for another worker. While there is no room, carries out what comes,
    /// so that others need not wait for this worker.
    fn send(&mut self, to: usize, updating: &mut Updating<'_, '_>) {
        while !(self.exchange).send_orders(self.id, to, &mut self.outgoing[to]) {
            updating.reporter.receive();
            self.receive(updating);
        }
    }
}
