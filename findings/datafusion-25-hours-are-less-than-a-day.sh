#!/usr/bin/env bash
# Windows and ages of rows as intervals, datafusion 55.0.0 (PyPI): 36 hours are not equal to a day and 12 hours, 25 hours
# are less than a day and 31 days less than a month, as months, days and the rest are compared one after the other; duckdb
# 2.0.1 (PyPI) takes days of 24 hours and months of 30 days. 2^3 is 1 in datafusion and 8 in duckdb.
# Guess before the run: true for the first four, and 8 from both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'datafusion==55.0.0' 'duckdb==2.0.1'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import duckdb
from datafusion import SessionContext

context = SessionContext()
for text in (
    "interval '36 hours' = interval '1 day 12 hours'",
    "interval '25 hours' > interval '1 day'",
    "interval '31 days' > interval '1 month'",
    "interval '1 week' = interval '7 days'",
    "2^3",
):
    one = context.sql(f"select {text} as x").collect()[0].column(0)[0].as_py()
    print(text, "| datafusion", one, "| duckdb", duckdb.sql(f"select {text}").fetchall()[0][0])
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
interval '36 hours' = interval '1 day 12 hours' | datafusion False | duckdb True
interval '25 hours' > interval '1 day' | datafusion False | duckdb True
interval '31 days' > interval '1 month' | datafusion False | duckdb True
interval '1 week' = interval '7 days' | datafusion True | duckdb True
2^3 | datafusion 1 | duckdb 8.0
SEEN
echo "seen as described"
