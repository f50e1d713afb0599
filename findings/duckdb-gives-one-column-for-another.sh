#!/usr/bin/env bash
# duckdb 2.0.1 tells columns that differ in capitals alone apart by a number: of price and Price, the second is Price_1.
# A third column that is really called price_1 then becomes price_1_1, and SELECT price_1 gives the values of Price, without
# a word, from Parquet, CSV and JSON alike. polars 2.1.0 has the three columns as they are written.
# Guess before the run: price_1 is price_1, and asking for price is refused as ambiguous.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'duckdb==2.0.1' 'polars==2.1.0' 'pyarrow==26.0.1'
venv/bin/python - >seen <<'PROGRAM'
import duckdb, polars, pyarrow, pyarrow.parquet

pyarrow.parquet.write_table(pyarrow.table({"price": [1], "Price": [2], "price_1": [3]}), "t.parquet")
open("t.csv", "w").write("price,Price,price_1\n1,2,3\n")
open("t.json", "w").write('{"price": 1, "Price": 2, "price_1": 3}\n')
for file in ("t.parquet", "t.csv", "t.json"):
    rows = duckdb.sql(f"SELECT * FROM '{file}'")
    print("duckdb", file, rows.columns, "price_1 is", duckdb.sql(f"SELECT price_1 FROM '{file}'").fetchall()[0][0])
table = polars.read_parquet("t.parquet")
print("polars", "t.parquet", table.columns, "price_1 is", table["price_1"][0])
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
duckdb t.parquet ['price', 'Price_1', 'price_1_1'] price_1 is 2
duckdb t.csv ['price', 'Price_1', 'price_1_1'] price_1 is 2
duckdb t.json ['price', 'Price_1', 'price_1_1'] price_1 is 2
polars t.parquet ['price', 'Price', 'price_1'] price_1 is 3
SEEN
echo "seen as described"
