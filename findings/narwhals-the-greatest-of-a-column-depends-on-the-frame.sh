#!/usr/bin/env bash
# One expression of narwhals 2.29.0 over a column 1.5, NaN, nothing, 2.5 in polars 2.1.0, pyarrow 25.0.1 and DuckDB 2.0.1: the
# greatest value is 2.5 in two and NaN in DuckDB; the values above 1 are three in polars and DuckDB and two in pyarrow; 2.5
# rounded is 2 in polars and 3 in the others; sorted, NaN is first in pyarrow and last in the others.
# Guess before the run: one answer, which is what the library is for.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check narwhals==2.29.0 polars==2.1.0 pyarrow==25.0.1 duckdb==2.0.1
venv/bin/python - >seen <<'PROGRAM'
import duckdb
import narwhals as nw
import polars
import pyarrow as pa

table = pa.table({"value": pa.array([1.5, float("nan"), None, 2.5], pa.float64())})
frames = {"polars": polars.from_arrow(table), "pyarrow": table, "duckdb": duckdb.from_arrow(table)}
value = nw.col("value")
questions = {"max": value.max(), "above 1": (value > 1).sum(), "greatest rounded": value.fill_nan(None).round(0).max()}
for name, native in frames.items():
    frame = nw.from_native(native).lazy()
    for question, expression in questions.items():
        print(name, question, frame.select(answer=expression).collect().to_dict(as_series=False)["answer"])
    print(name, "sorted", frame.sort("value").collect().to_dict(as_series=False)["value"])
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
polars max [2.5]
polars above 1 [3]
polars greatest rounded [2.0]
polars sorted [None, 1.5, 2.5, nan]
pyarrow max [2.5]
pyarrow above 1 [2]
pyarrow greatest rounded [3.0]
pyarrow sorted [None, nan, 1.5, 2.5]
duckdb max [nan]
duckdb above 1 [Decimal('3')]
duckdb greatest rounded [3.0]
duckdb sorted [None, 1.5, 2.5, nan]
SEEN
echo "seen as described"
