"""Compiles and runs the programs of docs/languages.md, and compares their output.

    bindings/languages.py PLACE DB

PLACE is an empty directory for the programs, and DB a directory of tables. Python is the one that runs this. The
program in Rust is a package outside the workspace, beside a clone.
"""

import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
JNA = "/usr/share/java/jna.jar"


def sections(text):
    """The parts of the document by their headings."""
    parts = re.split(r"^## (.*)\n", text, flags=re.MULTILINE)
    return parts[0], dict(zip(parts[1::2], parts[2::2]))


def block(text, kind):
    """The only block of code in a language."""
    blocks = re.findall(rf"^```{kind}\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)
    assert len(blocks) == 1, f"{len(blocks)} blocks of {kind}"
    return blocks[0]


def main():
    place, db = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    reader = ROOT / "bindings/c/granero.c"
    checks = ["-Wall", "-Wextra", "-Werror", "-I", reader.parent]
    cpp, shared = ["c++", "-std=c++17", *checks], ["-O2", "-shared", "-fPIC"]
    java = ["java", "-cp", JNA, "-Djna.library.path=."]
    # For each language: the language of the block, or `None` for a file of the examples, the file, and the commands in
    # their order.
    languages = {
        "Rust": ("rust", "program/main.rs", [["cargo", "run", "--quiet", "--manifest-path", "program/Cargo.toml"]]),
        "Python": ("python", "values.py", [[sys.executable, "values.py"]]),
        "C": ("c", "values.c", [["cc", *checks, "values.c", reader, "-o", "c"], ["./c"]]),
        "C++": (None, "values.cpp", [["cc", "-c", reader], [*cpp, "values.cpp", "granero.o", "-o", "cpp"], ["./cpp"]]),
        "Java": (None, "Values.java", [["cc", *shared, reader, "-o", "libgranero.so"], [*java, "Values.java"]]),
    }
    beginning, parts = sections((ROOT / "docs/languages.md").read_text())
    printed = block(beginning, "text")
    assert set(languages) <= set(parts), parts.keys()
    os.chdir(place)
    os.symlink(ROOT, "granero")
    os.mkdir("program")
    dependencies = block(parts["Rust"], "toml")
    pathlib.Path("program/Cargo.toml").write_text(
        '[package]\nname = "program"\nedition = "2024"\n\n'
        f'[[bin]]\nname = "program"\npath = "main.rs"\n\n[workspace]\n\n{dependencies}'
    )
    os.symlink(db, "granero-db")
    for language, (kind, file, commands) in languages.items():
        example = reader.parent / "examples" / file
        pathlib.Path(file).write_text(block(parts[language], kind) if kind else example.read_text())
        for command in commands[:-1]:
            subprocess.run(command, check=True)
        found = subprocess.run(commands[-1], check=True, stdout=subprocess.PIPE, text=True).stdout
        assert found == printed, f"{language} printed\n{found}"
        print(f"docs/languages.md: {language} prints what it should", flush=True)


if __name__ == "__main__":
    main()
