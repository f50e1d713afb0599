#!/usr/bin/env bash
# polars 2.1.0 cannot read a CSV file whose column holds numbers in the digits of another script (here Arabic-Indic 12,
# as menus of Arabic points of sale export them): its type inference takes the text for an integer and the conversion
# then fails, for the whole file. duckdb 2.0.1 and pandas 3.1.1 read the text.
# Guess before the run: text in all three.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'duckdb==2.0.1' 'polars==2.1.0' 'pandas==3.1.1' 'pyarrow==26.0.1'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import duckdb, pandas, polars

with open("rows.csv", "w", encoding="utf-8") as file:
    file.write("id,label\n1,\u0661\u0662\n")
try:
    print("polars", polars.read_csv("rows.csv").rows())
except polars.exceptions.ComputeError as error:
    print("polars", str(error).split("\n")[0].split(" at ")[0])
print("duckdb", duckdb.sql("SELECT typeof(label), label FROM read_csv('rows.csv')").fetchall())
print("pandas", pandas.read_csv("rows.csv")["label"].tolist())
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
polars could not parse `١٢` as dtype `i128`
duckdb [('VARCHAR', '١٢')]
pandas ['١٢']
SEEN
echo "seen as described"
