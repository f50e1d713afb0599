#!/usr/bin/env bash
# usearch 2.26.6 writes index files that 2.9.2 refuses ("Key type doesn't match, consider rebuilding"), although both keep
# 64-bit keys by default and neither was told otherwise. Files of 2.9.2 of the same kind are read by 2.26.6.
# Guess before the run: read both ways.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'usearch==2.9.2'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import subprocess, sys

write = """
import numpy, sys
from usearch.index import Index
index = Index(ndim=4, metric="cos", dtype="f32")
index.add(numpy.arange(3), numpy.eye(3, 4, dtype="float32"))
index.save(sys.argv[1])
"""
read = """
import numpy, sys
from usearch.index import Index
try:
    print(Index.restore(sys.argv[1]).search(numpy.eye(3, 4, dtype="float32")[2], 1).keys.tolist())
except RuntimeError as error:
    print(error)
"""

def use(version):
    packages = [f"usearch=={version}", "numpy==2.4.6", "packaging"]
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages], check=True)

def run(program, file):
    return subprocess.run([sys.executable, "-c", program, file], check=True, capture_output=True, text=True).stdout.strip()

use("2.9.2")
run(write, "old")
use("2.26.6")
run(write, "new")
print("2.26.6 reads 2.9.2:", run(read, "old"))
use("2.9.2")
print("2.9.2 reads 2.26.6:", run(read, "new"))
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
2.26.6 reads 2.9.2: [2]
2.9.2 reads 2.26.6: Key type doesn't match, consider rebuilding
SEEN
echo "seen as described"
