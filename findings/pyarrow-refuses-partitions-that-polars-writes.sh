#!/usr/bin/env bash
# Parquet files that polars 2.1.0 writes by partition are refused by pyarrow 26.0.1, and so by everything that reads
# through it: polars keeps the column of the folders in the files too, as large_string or int64, and pyarrow makes
# string or int32 of the names of folders and does not merge the two. DuckDB 2.0.1 reads them.
# Guess before the run: pyarrow reads them as it reads its own.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'duckdb==2.0.1' 'polars==2.1.0' 'pyarrow==26.0.1'
venv/bin/python - >seen <<'PROGRAM'
import duckdb
import polars
import pyarrow.parquet

for name, values in (("texts", ["north", "south"]), ("numbers", [1, 2])):
    polars.DataFrame({"p": values, "value": [0.5, 1.5]}).write_parquet(name, partition_by=["p"])
    try:
        print(name, "pyarrow", sorted(pyarrow.parquet.read_table(name)["p"].to_pylist()))
    except pyarrow.ArrowTypeError as error:
        print(name, "pyarrow", type(error).__name__)
    print(name, "duckdb", sorted(duckdb.sql(f"select p from read_parquet('{name}/**/*.parquet')").fetchall()))
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
texts pyarrow ArrowTypeError
texts duckdb [('north',), ('south',)]
numbers pyarrow ArrowTypeError
numbers duckdb [(1,), (2,)]
SEEN
echo "seen as described"
