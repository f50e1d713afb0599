#!/usr/bin/env bash
# fastparquet 2026.9.0 reads the DATE 9999-12-31, the usual "until further notice", as 1816-03-29 05:56:08: it counts days as
# nanoseconds in 64 bits, which wrap around, without a word. pyarrow 26.0.1, which wrote the file, reads the day.
# Guess before the run: an error, or the day as an object.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'fastparquet==2026.9.0' 'pandas==3.1.1' 'pyarrow==26.0.1'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
from datetime import date

import fastparquet, pyarrow, pyarrow.parquet

pyarrow.parquet.write_table(pyarrow.table({"until": [date(9999, 12, 31), date(2026, 11, 28)]}), "dates.parquet")
print("pyarrow", *pyarrow.parquet.read_table("dates.parquet")["until"].to_pylist())
print("fastparquet", *(value.isoformat() for value in fastparquet.ParquetFile("dates.parquet").to_pandas()["until"]))
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
pyarrow 9999-12-31 2026-11-28
fastparquet 1816-03-29T05:56:08.066277376 2026-11-28T00:00:00
SEEN
echo "seen as described"
