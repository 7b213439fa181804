//! Solved layers and their files, with which tables must agree.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use granero::index::Layer;
use granero::table::{ByteSource, TableWriter};
use granero::{
    Clamped, Cycles, Extent, Kind, Measured, Position, Ruleset, TableError, TableOptions, Tables,
    Value, solver,
};
use tempfile::TempDir;

use super::tables::tables_in;

/// Solved layers from 0 seeds on: the twin of all tables.
pub struct Solved {
    pub rules: Ruleset,
    pub cycles: Cycles,
    pub extent: Extent,
    pub layers: Vec<Measured<Vec<i8>>>,
}

impl Solved {
    /// Solves layers with one value for each position.
    pub fn new(rules: Ruleset, max_seeds: u8) -> Solved {
        Solved::of(rules, Cycles::Split, max_seeds)
    }

    pub fn of(rules: Ruleset, cycles: Cycles, max_seeds: u8) -> Solved {
        Solved::of_kind((rules, cycles), max_seeds)
    }

    pub fn of_kind(kind: impl Into<Kind>, max_seeds: u8) -> Solved {
        let kind = kind.into();
        let layers = solver::solve_all(kind, max_seeds, 2);
        for (layer, values) in Layer::all().zip(&layers) {
            let mut lengths = values.as_ref().into_iter();
            assert!(lengths.all(|(_, values)| values.len() as u64 == layer.len()));
        }
        Solved {
            rules: kind.rules,
            cycles: kind.cycles,
            extent: kind.extent,
            layers,
        }
    }

    /// The value or bounds of a position; `None` beyond the layers.
    pub fn value(&self, position: &Position) -> Option<Measured<Value>> {
        let layer = self.layers.get(usize::from(position.seeds()))?;
        let index = Layer::of(position).index(position) as usize;
        Some(
            layer
                .as_ref()
                .map(|values| Value::new(values[index]).unwrap()),
        )
    }

    /// The values of a layer, to change them.
    pub fn values_mut(&mut self, seeds: usize) -> &mut Vec<i8> {
        self.layers[seeds].as_mut().low()
    }

    /// All positions of all layers.
    pub fn positions(&self) -> impl Iterator<Item = Position> {
        Layer::all()
            .take(self.layers.len())
            .flat_map(Layer::positions)
    }

    /// Writes the layers to a new directory.
    pub fn write(&self) -> TempDir {
        let directory = tempfile::tempdir().unwrap();
        let mut writer = self.writer(directory.path());
        for values in &self.layers {
            writer.add_layer(values).unwrap();
        }
        directory
    }

    /// Writes them after changes of stored values: replaces what is not stored by what follows, if that is possible.
    pub fn write_changed(&mut self) -> Result<TempDir, TableError> {
        self.layers = looked_up(&Tables::open(self.write().path())?)?;
        Ok(self.write())
    }

    pub fn writer(&self, directory: &Path) -> TableWriter {
        TableWriter::open(directory, (self.rules, self.cycles, self.extent)).unwrap()
    }

    /// The files of a new directory.
    pub fn files(&self) -> Files {
        self.files_of(&self.write())
    }

    /// The files of a directory with these tables.
    pub fn files_of(&self, place: &TempDir) -> Files {
        Files::read(&tables_in(place.path(), self.cycles))
    }
}

/// The name of a layer's file.
pub fn file_name(seeds: usize) -> String {
    format!("layer-{seeds:02}.granero")
}

/// The files of a directory of tables, in memory.
#[derive(Clone)]
pub struct Files {
    pub manifest: String,
    pub layers: Vec<Arc<[u8]>>,
}

impl Files {
    pub fn read(directory: &Path) -> Files {
        let manifest = fs::read_to_string(directory.join("granero.json")).unwrap();
        let layers = (0..)
            .map_while(|seeds| fs::read(directory.join(file_name(seeds))).ok())
            .map(Arc::from)
            .collect();
        Files { manifest, layers }
    }

    /// The files, with one replaced.
    pub fn with(&self, seeds: usize, bytes: Vec<u8>) -> Files {
        let mut files = self.clone();
        files.layers[seeds] = bytes.into();
        files
    }

    pub fn open(&self, options: &TableOptions) -> Result<Tables, TableError> {
        let mut layers = self.layers.iter();
        options.open_sources(&self.manifest, |_| {
            let bytes = layers.next().ok_or(std::io::ErrorKind::NotFound)?;
            Ok(Box::new(bytes.clone()) as Box<dyn ByteSource>)
        })
    }
}

/// The values that look-ups find: the stored ones, which may be wrong, and those that follow from them. If tables
/// are written again with these, whole layers have them, too.
fn looked_up(tables: &Tables) -> Result<Vec<Measured<Vec<i8>>>, TableError> {
    let layers = Layer::all().take(tables.manifest().finished().into());
    let look_up = |layer: Layer| {
        let positions: Vec<Position> = layer.positions().collect();
        let mut values = tables.cycles().measures().map(|_| Vec::new());
        for value in tables.clamped_values(&positions)? {
            let numbers = value.unwrap().map(Clamped::number);
            for ((_, values), (_, number)) in values.as_mut().into_iter().zip(numbers) {
                values.push(number.seeds());
            }
        }
        Ok(values)
    };
    layers.map(look_up).collect()
}

/// Look-ups in tables that hold values.
pub trait Values {
    fn exact(&self, position: &Position) -> Result<Option<Value>, TableError>;
}

impl Values for Tables {
    fn exact(&self, position: &Position) -> Result<Option<Value>, TableError> {
        assert_eq!(self.cycles(), Cycles::Split);
        Ok(self.value(position)?.map(Measured::low))
    }
}
