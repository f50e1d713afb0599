#!/usr/bin/env bash
# Sqlglot 30.31.0 (PyPI) writes queries of SQLite for DuckDB; both are run, SQLite by Python and DuckDB 2.0.1 (PyPI). Half of
# seven is 3 and then 3.5, as it is from PostgreSQL, T-SQL and Trino; a price of 7.9 cast to an integer is 7 and then 8, as it
# is from Spark, T-SQL and ClickHouse; a remainder is another. No row warns, also when asked to raise on what is unsupported.
# Guess before the run: the cast of engines that cut becomes one of a TRUNC, and 7 / 2 of PostgreSQL gives 3.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check sqlglot==30.31.0 duckdb==2.0.1
cat >program.py <<'PROGRAM'
import sqlite3

import duckdb
from sqlglot import ErrorLevel, transpile


def written(dialect, query):
    return transpile(query, read=dialect, write="duckdb", unsupported_level=ErrorLevel.RAISE)[0]


def of_duckdb(query):
    return float(duckdb.sql(query).fetchall()[0][0])


for query in ("SELECT 7 / 2", "SELECT CAST(7.9 AS INTEGER)", "SELECT CAST('7.9' AS INTEGER)", "SELECT 7 % 2.5"):
    [[first]] = sqlite3.connect(":memory:").execute(query).fetchall()
    text = written("sqlite", query)
    print(f"{query} -> {text}: sqlite {float(first)}, duckdb {of_duckdb(text)}")
others = {"SELECT 7 / 2": ("postgres", "tsql", "trino"), "SELECT CAST(7.9 AS INT)": ("spark", "tsql", "clickhouse")}
for query, dialects in others.items():
    for dialect in dialects:
        text = written(dialect, query)
        print(f"{dialect}: {query} -> {text}: duckdb {of_duckdb(text)}")
PROGRAM
venv/bin/python program.py >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
SELECT 7 / 2 -> SELECT 7 / NULLIF(2, 0): sqlite 3.0, duckdb 3.5
SELECT CAST(7.9 AS INTEGER) -> SELECT CAST(7.9 AS INT): sqlite 7.0, duckdb 8.0
SELECT CAST('7.9' AS INTEGER) -> SELECT CAST('7.9' AS INT): sqlite 7.0, duckdb 8.0
SELECT 7 % 2.5 -> SELECT 7 % NULLIF(2.5, 0): sqlite 1.0, duckdb 2.0
postgres: SELECT 7 / 2 -> SELECT 7 / 2: duckdb 3.5
tsql: SELECT 7 / 2 -> SELECT 7 / 2: duckdb 3.5
trino: SELECT 7 / 2 -> SELECT 7 / 2: duckdb 3.5
spark: SELECT CAST(7.9 AS INT) -> SELECT TRY_CAST(7.9 AS INT): duckdb 8.0
tsql: SELECT CAST(7.9 AS INT) -> SELECT CAST(7.9 AS INT): duckdb 8.0
clickhouse: SELECT CAST(7.9 AS INT) -> SELECT CAST(7.9 AS INT): duckdb 8.0
SEEN
echo "seen as described"
