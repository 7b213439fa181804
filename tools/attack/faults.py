"""Lets each system call of a build fail once: no space, a bad disk, too many open files, …

The build succeeds with the right tables or fails with a message; the layers that the manifest lists
afterwards are right; and the same command without faults makes the same tables. Under
such a fault readers give right answers, or fail with a message.
"""

import os

from . import tables
from .campaign import require
from .scenes import CYCLES, Build
from .tracer import Tracer

OPEN = ("EIO", "EACCES", "EMFILE", "ENFILE", "ENOSPC", "EINTR")
STAT = ("EIO", "EACCES")
READ = ("EIO", "EINTR", "short")
WRITE = ("EIO", "ENOSPC", "EDQUOT", "EINTR", "short")
CHANGE = ("EIO", "EACCES", "ENOSPC", "EROFS")
LOCK = ("EIO", "ENOLCK")

# The ways in which each call may fail.
ACTIONS = {
    "open": OPEN, "openat": OPEN, "openat2": OPEN,
    "stat": STAT, "lstat": STAT, "fstat": STAT, "newfstatat": STAT, "statx": STAT,
    "statfs": STAT, "fstatfs": STAT, "getdents64": ("EIO",),
    "read": READ, "readv": READ, "pread64": READ, "mmap": ("ENOMEM", "EACCES"),
    "write": WRITE, "writev": WRITE, "pwrite64": WRITE, "lseek": ("EIO",),
    "ftruncate": CHANGE, "fallocate": CHANGE,
    "fsync": ("EIO", "ENOSPC"), "fdatasync": ("EIO", "ENOSPC"), "close": ("EIO",),
    "rename": CHANGE, "renameat": CHANGE, "renameat2": CHANGE, "linkat": CHANGE,
    "unlink": CHANGE, "unlinkat": CHANGE, "mkdir": CHANGE, "mkdirat": CHANGE,
    "flock": LOCK, "fcntl": LOCK,
    # SECURITY.md: nothing is promised where the system starts no thread.
    "clone3": (),
}  # fmt: skip

# If one of these fails, a table is not whole or not on the disk, so the build must not succeed.
NEEDED = ("write", "writev", "pwrite64", "fsync", "fdatasync", "rename", "renameat", "renameat2")


class Reading:
    """A verb that reads finished tables."""

    def __init__(self, campaign, build, *words):
        self.name = f"{words[0]}, {build.name}"
        self.directory, self.build = build.directory, build
        self.words = [*words, "--db", self.directory]
        # The output, if it is the same each time.
        self.output = None

    def prepare(self):
        tables.write(self.directory, self.build.end)

    def after(self, ended):
        if ended.status == 0 and self.output is not None:
            require(ended.output == self.output, lambda: f"another answer than usual: {ended}")
        self.build.require_done("a reader has changed the tables")


class Building:
    """A build as a scene."""

    def __init__(self, build):
        self.name, self.directory, self.words = build.name, build.directory, build.words
        self.build, self.prepare = build, build.prepare

    def after(self, ended):
        if ended.status == 0:
            # Only a failure to remove leftovers may be ignored.
            self.build.require_done("the build says that it is done", but=".granero-tmp")
        self.build.require_finished_layers_right()
        self.build.finish()


def run(campaign):
    tracer = Tracer(campaign)
    scenes = []
    for cycles in CYCLES:
        scenes.append(Building(Build(campaign, 5, cycles)))
        scenes.append(Building(Build(campaign, 5, cycles, little=True)))
        scenes.append(Building(Build(campaign, 5, cycles, begun=3)))
        if campaign.long:
            scenes.append(Building(Build(campaign, 5, cycles, threads=2)))
        whole = scenes[-1].build
        position = "0 0 0 1 0 1 / 0 0 0 1 0 1"
        queries = campaign.path("queries")
        with open(queries, "w") as file:
            file.write(f"{position}\n" * 3)
        for words in (
            ("query", position, "--json"),
            ("query", "--batch", queries, "--format", "tsv"),
            ("info", "--json"),
            ("stats", "--json", "--layer", "4"),
            ("verify",),
            ("verify", "--quick"),
            ("export", "--layer", "4", "--format", "csv"),
        ):
            scenes.append(Reading(campaign, whole, *words))

    trials = []
    for scene in scenes:
        scene.build.clear()
        scene.prepare()
        ended, calls = tracer.run(scene.directory, scene.words)
        require(ended.status == 0, lambda: f"{scene.name}: {ended}")
        if isinstance(scene, Reading) and scene.words[0] != "verify":
            scene.output = ended.output
        for number, (name, path) in enumerate(calls, start=1):
            # Rust's library relies on the fact that closing a directory never fails.
            if name != "close" or not os.path.isdir(path):
                trials += [(scene, number, action) for action in ACTIONS[name]]
    campaign.notes.append(f"{len(trials):,} different ones")

    for number in campaign.trials(250, len(trials)):
        campaign.attempt(number, trial, tracer, *trials[number])


def trial(campaign, tracer, scene, number, action):
    scene.build.clear()
    scene.prepare()
    ended, calls = tracer.run(scene.directory, scene.words, number, action)
    name, path = calls[number - 1] if number <= len(calls) else ("nothing", "")
    try:
        # If the message itself cannot be written, there is none.
        is_mute = os.path.basename(path) == "errors"
        ended.require_orderly() if not is_mute else require(ended.status in (0, 2, 3), str(ended))
        is_gone_through = action == "short" or (action == "EINTR" and name in ("read", "write"))
        if is_gone_through:
            require(ended.status == 0, lambda: f"it should have tried again: {ended}")
        elif name in NEEDED and path.startswith(scene.directory):
            require(ended.status != 0, lambda: f"it does not notice: {ended}")
        scene.after(ended)
    except Exception as wrong:
        wrong.args = (f"{scene.name}, {action} from call {number}, {name} {path}: {wrong}",)
        raise
