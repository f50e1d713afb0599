#!/usr/bin/env bash
# The values of folders of partitions (p=007) have no type, and each reader guesses another one: to pyarrow 26.0.1, 007
# is the number 7 and 0x10 is 16, but 3000000000 a text; to DuckDB 2.0.1, 007 is a text, 0x10 is 16 and null is null; to
# polars 2.1.0, 1e3, 1.50 and NaN are floats, an empty value is null, and folders named by a time of day are an error.
# Guess before the run: the same integers and texts in all three, with days as days in some.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'duckdb==2.0.1' 'polars==2.1.0' 'pyarrow==26.0.1'
venv/bin/python - >seen <<'PROGRAM'
import duckdb
import polars
import pyarrow
import pyarrow.dataset
import pyarrow.parquet

READERS = {
    "pyarrow": lambda name: pyarrow.dataset.dataset(name, partitioning="hive").to_table().to_pylist(),
    "duckdb": lambda name: (
        duckdb.sql(f"from read_parquet('{name}/*/*.parquet', hive_partitioning=true)").to_arrow_table().to_pylist()
    ),
    "polars": lambda name: polars.scan_parquet(f"{name}/**/*.parquet", hive_partitioning=True).collect().to_dicts(),
}
COLUMNS = (
    ["007", "008"], ["3000000000", "1"], ["0x10", "1"], ["1e3", "2"], ["1.50", "2"], ["NaN", "1"], ["", "7"], ["null", "7"],
    ["true", "false"], ["2026-01-02", "2026-01-03"], ["12:30", "13:30"],
)
for number, values in enumerate(COLUMNS):
    table = pyarrow.table({"p": values, "row": [0, 1]})
    pyarrow.parquet.write_to_dataset(table, f"table{number}", partition_cols=["p"])
    print(values)
    for reader, read in READERS.items():
        try:
            found = [repr(row["p"]) for row in sorted(read(f"table{number}"), key=lambda row: row["row"])]
        except polars.exceptions.ComputeError:
            found = ["ComputeError"]
        print(f"  {reader:7}", ", ".join(found))
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
['007', '008']
  pyarrow 7, 8
  duckdb  '007', '008'
  polars  7, 8
['3000000000', '1']
  pyarrow '3000000000', '1'
  duckdb  3000000000, 1
  polars  3000000000, 1
['0x10', '1']
  pyarrow 16, 1
  duckdb  16, 1
  polars  '0x10', '1'
['1e3', '2']
  pyarrow '1e3', '2'
  duckdb  '1e3', '2'
  polars  1000.0, 2.0
['1.50', '2']
  pyarrow '1.50', '2'
  duckdb  '1.50', '2'
  polars  1.5, 2.0
['NaN', '1']
  pyarrow 'NaN', '1'
  duckdb  'NaN', '1'
  polars  nan, 1.0
['', '7']
  pyarrow '', '7'
  duckdb  '', '7'
  polars  None, 7
['null', '7']
  pyarrow 'null', '7'
  duckdb  None, 7
  polars  'null', '7'
['true', 'false']
  pyarrow 'true', 'false'
  duckdb  'true', 'false'
  polars  True, False
['2026-01-02', '2026-01-03']
  pyarrow '2026-01-02', '2026-01-03'
  duckdb  datetime.date(2026, 1, 2), datetime.date(2026, 1, 3)
  polars  datetime.date(2026, 1, 2), datetime.date(2026, 1, 3)
['12:30', '13:30']
  pyarrow '12:30', '13:30'
  duckdb  '12:30', '13:30'
  polars  ComputeError
SEEN
echo "seen as described"
