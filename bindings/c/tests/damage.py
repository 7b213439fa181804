"""Damages tables in many ways, and checks that the reader in C gives no wrong answer and does not crash.

    damage.py READER DIRECTORY ANSWERS COPIES

READER is the compiled reader.c, ANSWERS its standard input, COPIES the number of damaged copies.
"""

import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

reader, directory, answers, copies = sys.argv[1:]
answers = pathlib.Path(answers).read_bytes()
chance = random.Random(1)
found = {0: 0, 2: 0}
for number in range(int(copies)):
    with tempfile.TemporaryDirectory() as place:
        copy = pathlib.Path(place, "copy")
        shutil.copytree(directory, copy)
        files = sorted(copy.glob("*.json")) + sorted(copy.glob("*.granero"))
        file = chance.choice(files)
        content = bytearray(file.read_bytes())
        where = chance.randrange(len(content))
        damage = number % 4
        if damage == 0:
            file.unlink()
        else:
            if damage == 1:
                content[where] ^= 1 << chance.randrange(8)
            elif damage == 2:
                del content[where:]
            else:
                content.append(0)
            file.write_bytes(content)
        ended = subprocess.run([reader, copy], input=answers, capture_output=True)
        if ended.returncode not in found:
            sys.exit(f"copy {number}, {file.name} damaged at {where}: {ended.stderr.decode()}")
        found[ended.returncode] += 1
if found[2] == 0:
    sys.exit("no damage was found")
print(f"{copies} damaged copies: an error in {found[2]}, and no wrong answer")
