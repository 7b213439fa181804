//! Bytes that ranks send each other as they are made, and that the others take as they need them.

use super::carrier::ClusterError;
use super::mail::Cluster;
use super::parcel::{Kind, PARCEL, Parcel};

/// Bytes on their way from this rank to others.
pub(crate) struct Outgoing<'c> {
    cluster: &'c mut Cluster,
    /// By rank: the parcel that is being filled.
    parcels: Vec<Parcel>,
}

impl<'c> Outgoing<'c> {
    /// Begins the step in which bytes are sent.
    pub(crate) fn begin(cluster: &'c mut Cluster) -> Outgoing<'c> {
        cluster.begin_step();
        let ranks = 0..cluster.ranks();
        Outgoing {
            cluster,
            parcels: ranks.map(|_| Parcel::new()).collect(),
        }
    }

    /// Adds bytes for a rank, and sends what fills a parcel.
    pub(crate) fn write(&mut self, to: usize, bytes: &[u8]) -> Result<(), ClusterError> {
        for piece in bytes.chunks(PARCEL) {
            self.parcels[to].bytes().extend_from_slice(piece);
            if self.parcels[to].has(PARCEL) {
                self.send(to)?;
            }
        }
        Ok(())
    }

    /// Adds bytes for each other rank.
    pub(crate) fn write_to_all(&mut self, bytes: &[u8]) -> Result<(), ClusterError> {
        let mut others = self.cluster.others();
        others.try_for_each(|other| self.write(other, bytes))
    }

    /// Sends the rest.
    pub(crate) fn end(mut self) -> Result<(), ClusterError> {
        let with_rest = |to: &usize| !self.parcels[*to].is_empty();
        let ranks: Vec<usize> = (0..self.parcels.len()).filter(with_rest).collect();
        ranks.into_iter().try_for_each(|to| self.send(to))
    }

    fn send(&mut self, to: usize) -> Result<(), ClusterError> {
        let parcel = std::mem::replace(&mut self.parcels[to], Parcel::new());
        self.cluster.send(to, Kind::Bytes, parcel)
    }
}

/// Bytes that other ranks send to this one.
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

    /// Reads so many bytes. They take memory as they arrive.
    pub(crate) fn read_bytes(&mut self, from: usize, length: u64) -> Result<Vec<u8>, ClusterError> {
        let mut bytes = Vec::new();
        while (bytes.len() as u64) < length {
            let begin = bytes.len();
            let more = (length - begin as u64).min(PARCEL as u64);
            bytes.resize(begin + more as usize, 0);
            self.read(from, &mut bytes[begin..])?;
        }
        Ok(bytes)
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
