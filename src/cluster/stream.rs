//! Bytes that ranks send to rank 0 as they are made, and that it takes as it needs them.

use super::carrier::ClusterError;
use super::mail::Cluster;
use super::parcel::{Kind, PARCEL, Parcel};

/// Bytes on their way from this rank to rank 0.
pub(crate) struct Outgoing<'c> {
    cluster: &'c mut Cluster,
    parcel: Parcel,
}

impl<'c> Outgoing<'c> {
    /// Begins the step in which bytes are sent.
    pub(crate) fn begin(cluster: &'c mut Cluster) -> Outgoing<'c> {
        cluster.begin_step();
        Outgoing {
            cluster,
            parcel: Parcel::new(),
        }
    }

    /// Adds bytes, and sends what fills a parcel.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), ClusterError> {
        for piece in bytes.chunks(PARCEL) {
            self.parcel.bytes().extend_from_slice(piece);
            if self.parcel.has(PARCEL) {
                self.send()?;
            }
        }
        Ok(())
    }

    /// Sends the rest.
    pub(crate) fn end(mut self) -> Result<(), ClusterError> {
        match self.parcel.is_empty() {
            true => Ok(()),
            false => self.send(),
        }
    }

    fn send(&mut self) -> Result<(), ClusterError> {
        let parcel = std::mem::replace(&mut self.parcel, Parcel::new());
        self.cluster.send(0, Kind::Bytes, parcel)
    }
}

/// Bytes that other ranks send to this one, which is rank 0.
pub(crate) struct Incoming<'c> {
    cluster: &'c mut Cluster,
    /// By rank: the parcel at hand, and how much of it was read.
    parcels: Vec<(Parcel, usize)>,
}

impl<'c> Incoming<'c> {
    /// Begins the step in which bytes are sent.
    pub(crate) fn begin(cluster: &'c mut Cluster) -> Incoming<'c> {
        cluster.begin_step();
        let ranks = 0..cluster.ranks();
        Incoming {
            cluster,
            parcels: ranks.map(|_| (Parcel::new(), 0)).collect(),
        }
    }

    /// Reads the next bytes of a rank, and waits for them.
    pub(crate) fn read(&mut self, from: usize, mut bytes: &mut [u8]) -> Result<(), ClusterError> {
        let (parcel, read) = &mut self.parcels[from];
        while !bytes.is_empty() {
            if *read == parcel.body().len() {
                *parcel = self.cluster.wait_for(from, Kind::Bytes)?;
                *read = 0;
            }
            let rest = &parcel.body()[*read..];
            let (now, later) = bytes.split_at_mut(rest.len().min(bytes.len()));
            now.copy_from_slice(&rest[..now.len()]);
            *read += now.len();
            bytes = later;
        }
        Ok(())
    }

    /// Reads a number.
    pub(crate) fn read_number(&mut self, from: usize) -> Result<u32, ClusterError> {
        let mut number = [0; 4];
        self.read(from, &mut number)?;
        Ok(u32::from_le_bytes(number))
    }

    /// Ends the step: nothing must be left.
    pub(crate) fn end(self) -> Result<(), ClusterError> {
        let mut parcels = self.parcels.iter();
        match parcels.position(|(parcel, read)| *read < parcel.body().len()) {
            None => Ok(()),
            Some(from) => {
                let what = "has more than was expected";
                Err(ClusterError::BadParcel { from, what })
            }
        }
    }
}
