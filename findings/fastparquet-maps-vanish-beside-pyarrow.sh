#!/usr/bin/env bash
# fastparquet 2026.9.0 with pandas 3.1.1 reads a column of maps of duckdb 2.0.1 rightly, and as None in every row once pyarrow
# 26.0.1 is installed beside it, although the program names pyarrow nowhere. No error.
# Guess before the run: the maps, with pyarrow or without.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'duckdb==2.0.1' 'fastparquet==2026.9.0' 'pandas==3.1.1'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import subprocess, sys

import duckdb

duckdb.sql("COPY (SELECT 1 AS id, MAP {'a': 1, 'b': 2} AS m UNION ALL SELECT 2, MAP {'z': 9}) TO 'maps.parquet'")
read = "import fastparquet; print([m and {k: int(v) for k, v in m.items()} for m in fastparquet.ParquetFile('maps.parquet').to_pandas()['m']])"

def show(name):
    print(name, subprocess.run([sys.executable, "-W", "ignore", "-c", read], check=True, capture_output=True, text=True).stdout.strip())

show("without pyarrow")
subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "pyarrow==26.0.1"], check=True)
show("with pyarrow   ")
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
without pyarrow [{'a': 1, 'b': 2}, {'z': 9}]
with pyarrow    [None, None]
SEEN
echo "seen as described"
