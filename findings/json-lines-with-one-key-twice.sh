#!/usr/bin/env bash
# A line of JSON that has one key twice: polars 2.1.0 keeps the first value, pandas 3.1.1 the last, and DuckDB 2.0.1 and
# pyarrow 26.0.1 refuse the file.
# Guess before the run: the last in all that do not refuse it.
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
import pyarrow
import pyarrow.json

pathlib.Path("rows.jsonl").write_text('{"price": 1, "price": 2}\n')
for name, read in (
    ("duckdb", lambda: duckdb.sql("select price from read_json('rows.jsonl')").fetchall()[0][0]),
    ("pandas", lambda: pandas.read_json("rows.jsonl", lines=True)["price"][0]),
    ("polars", lambda: polars.read_ndjson("rows.jsonl")["price"][0]),
    ("pyarrow", lambda: pyarrow.json.read_json("rows.jsonl")["price"][0].as_py()),
):
    try:
        print(name, read())
    except (duckdb.Error, pyarrow.ArrowInvalid) as error:
        print(name, type(error).__name__)
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
duckdb InvalidInputException
pandas 2
polars 1
pyarrow ArrowInvalid
SEEN
echo "seen as described"
