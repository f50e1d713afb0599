#!/usr/bin/env bash
# duckdb 2.0.1 reads a CSV column whose values are all like 0x1F or 0b101 as integers: 31 and 5.
# polars 2.1.0 and pandas 3.1.1 keep the texts. Identifiers of this form lose their spelling, and "0x1f" and "0x1F"
# become one value.
# Guess before the run: VARCHAR in all three.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'duckdb==2.0.1' 'polars==2.1.0' 'pandas==3.1.1' 'pyarrow==26.0.1'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import duckdb, pandas, polars

with open("rows.csv", "w") as file:
    file.write("id,code\n0x1F,0b101\n0x1f,0b110\n")
print("duckdb", duckdb.sql("SELECT typeof(id), id, typeof(code), code FROM read_csv('rows.csv')").fetchall())
print("polars", polars.read_csv("rows.csv").rows())
print("pandas", pandas.read_csv("rows.csv").values.tolist())
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
duckdb [('BIGINT', 31, 'BIGINT', 5), ('BIGINT', 31, 'BIGINT', 6)]
polars [('0x1F', '0b101'), ('0x1f', '0b110')]
pandas [['0x1F', '0b101'], ['0x1f', '0b110']]
SEEN
echo "seen as described"
