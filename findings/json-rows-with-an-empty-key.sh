#!/usr/bin/env bash
# The key "" of rows of JSON, which is valid: DuckDB 2.0.1 makes one column named json, a map, of the whole row; pandas
# 3.1.1 names the column NaT, no time, where it is the only one; polars 2.1.0 and pyarrow 26.0.1 keep it.
# Guess before the run: a column with an empty name in all of them.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'duckdb==2.0.1' 'pandas==3.1.1' 'polars==2.1.0' 'pyarrow==26.0.1'
venv/bin/python - >seen <<'PROGRAM'
import pathlib

import duckdb
import pandas
import polars
import pyarrow.json

for text in ('{"": 1}\n', '{"": 1, "id": 7}\n'):
    pathlib.Path("rows.jsonl").write_text(text)
    print(text.strip())
    print("  duckdb ", duckdb.sql("from read_json('rows.jsonl')").columns)
    print("  pandas ", list(pandas.read_json("rows.jsonl", lines=True).columns))
    print("  polars ", polars.read_ndjson("rows.jsonl").columns)
    print("  pyarrow", pyarrow.json.read_json("rows.jsonl").column_names)
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
{"": 1}
  duckdb  ['json']
  pandas  [NaT]
  polars  ['']
  pyarrow ['']
{"": 1, "id": 7}
  duckdb  ['json']
  pandas  ['', 'id']
  polars  ['', 'id']
  pyarrow ['', 'id']
SEEN
echo "seen as described"
