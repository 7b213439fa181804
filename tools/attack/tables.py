"""Directories of tables: reads, makes and checks them."""

import json
import os

from .campaign import require

MANIFEST = "granero.json"
LOCK = "granero.lock"


def content(directory):
    """All files of a directory by name, in `own-side` with that folder before it."""
    files = {}
    for root, _, names in os.walk(directory):
        for name in names:
            path = os.path.join(root, name)
            with open(path, "rb") as file:
                files[os.path.relpath(path, directory)] = file.read()
    return files


def write(directory, files):
    """Makes a directory with these files."""
    for name, bytes in files.items():
        path = os.path.join(directory, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(bytes)


def require_same(directory, expected, what, but=None):
    """Requires that a directory holds exactly these files, apart from names that end in `but`."""
    found = content(directory)
    differ = [name for name in found.keys() | expected.keys() if found.get(name) != expected.get(name)]
    # What the lock holds does not matter.
    wrong = sorted(name for name in differ if not name.endswith((LOCK, but or LOCK)))
    require(not wrong, f"{what}: not as in an undisturbed build: {', '.join(wrong)}")


def require_finished_layers_right(directory, expected):
    """Requires that a disturbed build lists only good files.

    `expected` are the files of an undisturbed build.
    """
    found = content(directory)
    for path in (MANIFEST, os.path.join("own-side", MANIFEST)):
        if path not in found:
            continue
        manifest, whole = json.loads(found[path]), json.loads(expected[path])
        for field in ("rules", "cycles", "format"):
            require(manifest[field] == whole[field], f"{path}: another {field}")
        for field in ("layers", "files"):
            finished = len(manifest[field])
            right = manifest[field] == whole[field][:finished]
            require(right, f"{path}: its {field} are not those of an undisturbed build")
        is_right = len(manifest["files"]) == len(manifest["layers"])
        require(is_right, f"{path}: not as many files as layers")
        for file in manifest["files"]:
            name = os.path.join(os.path.dirname(path), file["name"])
            is_right = found.get(name) == expected[name]
            require(is_right, f"{path} lists {name}, which is missing or not right")
