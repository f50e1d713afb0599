#!/usr/bin/env bash
# sqlglot 30.30.0 translates BigQuery to DuckDB: DATE_TRUNC and DATE_DIFF by WEEK are rewritten for weeks that begin on Sunday, but
# EXTRACT is copied. BigQuery documents 1 for a Sunday and week 0 for the days before a year's first Sunday; the copy says 0,
# and an ISO week. SUBSTR from position 0, which BigQuery documents as position 1, is copied too and loses a letter, and FORMAT
# prints its own format. Guess before the run: what is rewritten for one function of weeks is rewritten for all.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'sqlglot==30.30.0' 'duckdb==2.0.1'
venv/bin/python - >seen <<'PROGRAM'
import duckdb
import sqlglot

for expression in (
    "DATE_TRUNC(DATE '2026-11-28', WEEK)",
    "EXTRACT(DAYOFWEEK FROM DATE '2026-11-22')",
    "EXTRACT(WEEK FROM DATE '2026-01-01')",
    "SUBSTR('large', 0, 3)",
    "FORMAT('%d items', 5)",
):
    translated = sqlglot.transpile(f"SELECT {expression}", read="bigquery", write="duckdb")[0]
    print(expression, "is", duckdb.sql(translated).fetchall()[0][0], "by", translated.removeprefix("SELECT "))
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
DATE_TRUNC(DATE '2026-11-28', WEEK) is 2026-11-22 by CAST(DATE_TRUNC('WEEK', CAST('2026-11-28' AS DATE) + INTERVAL '1' DAY) + INTERVAL '-1' DAY AS DATE)
EXTRACT(DAYOFWEEK FROM DATE '2026-11-22') is 0 by EXTRACT(DAYOFWEEK FROM CAST('2026-11-22' AS DATE))
EXTRACT(WEEK FROM DATE '2026-01-01') is 1 by EXTRACT(WEEK FROM CAST('2026-01-01' AS DATE))
SUBSTR('large', 0, 3) is la by SUBSTRING('large', 0, 3)
FORMAT('%d items', 5) is %d items by FORMAT('%d items', 5)
SEEN
echo "seen as described"
