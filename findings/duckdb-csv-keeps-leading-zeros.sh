#!/usr/bin/env bash
# duckdb 2.0.1 keeps the zeros of a CSV column such as 00501: the sniffer takes it for text.
# polars 2.1.0 and pandas 3.1.1 read the number 501. A table that pandas wrote back and one that DuckDB read
# have different entity ids.
# Guess before the run: BIGINT 501 in DuckDB, as in its versions 0 and 1.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'duckdb==2.0.1' 'polars==2.1.0' 'pandas==3.1.1' 'pyarrow==26.0.1'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import duckdb, pandas, polars

with open("rows.csv", "w") as file:
    file.write("zip,n\n00501,1\n10001,2\n")
print("duckdb", duckdb.sql("SELECT typeof(zip), zip FROM read_csv('rows.csv')").fetchall())
print("polars", polars.read_csv("rows.csv")["zip"].to_list())
print("pandas", pandas.read_csv("rows.csv")["zip"].tolist())
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
duckdb [('VARCHAR', '00501'), ('VARCHAR', '10001')]
polars [501, 10001]
pandas [501, 10001]
SEEN
echo "seen as described"
