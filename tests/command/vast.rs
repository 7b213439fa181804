//! Tables that claim to be as large as the whole game, met by the verbs that read whole layers.

use std::process::Command;
use std::sync::Arc;

use granero::index::Layer;

use crate::program;
use crate::support::command::shows;
use crate::support::solved::file_name;
use crate::support::vast::{Vast, vast_manifest};

/// Nothing is worked out or kept for large layers before the small ones are found to be sound.
#[test]
fn a_forged_directory_is_refused_before_anything_is_worked_out() {
    let files: Vec<Vast> = Layer::all()
        .map(|layer| Vast::new(layer, Arc::default()))
        .collect();
    let place = tempfile::tempdir().unwrap();
    for (seeds, file) in (0..).zip(&files) {
        let path = place.path().join(file_name(seeds));
        std::fs::write(&path, &file.begin).unwrap();
        let written = std::fs::File::options().write(true).open(path).unwrap();
        written.set_len(file.length).unwrap();
    }
    let manifest = vast_manifest(&files);
    std::fs::write(place.path().join("granero.json"), manifest).unwrap();
    for verb in [
        "verify",
        "verify --quick",
        "verify --layer 48",
        "stats --layer 48",
        "export --layer 48 --format csv",
    ] {
        // 300 MB of addresses, a third of which any program takes that has threads.
        let limited = "ulimit -v 300000; exec $0 $1 --db $2";
        let command = limited.replace("$1", verb);
        let output = Command::new("sh")
            .args(["-c", &command, &program::path(), "-"])
            .arg(place.path())
            .env("RAYON_NUM_THREADS", "2")
            .env("MALLOC_ARENA_MAX", "1")
            .output()
            .unwrap();
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{verb}: {message}");
        shows(&message, "layer-00.granero is damaged");
    }
}
