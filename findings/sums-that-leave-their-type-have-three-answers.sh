#!/usr/bin/env bash
# One statement of SQL in three embedded engines. 100 + 100 in a column of TINYINT: DuckDB 2.0.1 refuses, Polars 2.1.0 and
# DataFusion 55.0.0 answer -56. The greatest BIGINT and 1: DuckDB refuses, DataFusion answers the least, Polars the exact sum in
# a wider type. 1.0 / 3 is a decimal of seven digits in Polars. Whether 0.1 + 0.2 is 0.3, and whether 9007199254740993 is
# 9007199254740992.0, they do not agree either: decimals in two, doubles in DataFusion.
# Guess before the run: errors, or the wider type, in each; a third has the digits of a double.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check duckdb==2.0.1 polars==2.1.0 datafusion==55.0.0
venv/bin/python - >seen <<'PROGRAM'
import datafusion
import duckdb
import polars

session = datafusion.SessionContext()
engines = {
    "duckdb": lambda query: duckdb.connect().execute(query).fetchone()[0],
    "polars": lambda query: polars.sql(query).collect().item(),
    "datafusion": lambda query: session.sql(query).to_pylist()[0]["answer"],
}
for expression in ("CAST(100 AS TINYINT) + CAST(100 AS TINYINT)", "9223372036854775807 + 1", "1.0 / 3", "0.1 + 0.2 = 0.3", "9007199254740993 = 9007199254740992.0"):
    print(expression)
    for name, run in engines.items():
        try:
            print("   ", name, run(f"SELECT {expression} AS answer"))
        except Exception as error:
            print("   ", name, type(error).__name__)
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
CAST(100 AS TINYINT) + CAST(100 AS TINYINT)
    duckdb OutOfRangeException
    polars -56
    datafusion -56
9223372036854775807 + 1
    duckdb OutOfRangeException
    polars 9223372036854775808
    datafusion -9223372036854775808
1.0 / 3
    duckdb 0.3333333333333333
    polars 0.3333333
    datafusion 0.3333333333333333
0.1 + 0.2 = 0.3
    duckdb True
    polars True
    datafusion False
9007199254740993 = 9007199254740992.0
    duckdb False
    polars False
    datafusion True
SEEN
echo "seen as described"
