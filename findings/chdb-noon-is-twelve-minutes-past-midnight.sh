#!/usr/bin/env bash
# chdb 4.4.0 (ClickHouse in Python) casts texts and numbers: 12:00 as TIME is 00:12:00, 19.99 as DECIMAL(10, 1) is 19.9 (cut),
# the 30th of February is the 2nd of March, 1900 is 1970 and 2200 is 2149 as DATE, 24:00:00 is the next day, 300 as TINYINT is
# 44. NaN is not equal to NaN, but it is IN a list that has it.
# Guess before the run: noon, rounding or an error, errors for days that do not exist.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check chdb==4.4.0
venv/bin/python - >seen <<'PROGRAM'
import chdb

expressions = (
    "CAST('12:00' AS TIME)", "CAST('12:00:00' AS TIME)", "CAST(19.99 AS DECIMAL(10, 1))", "CAST('2026-02-30' AS DATE)", "CAST('1900-01-01' AS DATE)",
    "CAST('2200-01-01' AS DATE)", "CAST('2026-01-01 24:00:00' AS TIMESTAMP)", "CAST(300 AS TINYINT)", "nan = nan", "nan IN (1.0, nan)",
)
for expression in expressions:
    print(expression, "|", str(chdb.query(f"SELECT {expression} SETTINGS session_timezone = 'UTC'", "TSV")).strip())
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
CAST('12:00' AS TIME) | 00:12:00
CAST('12:00:00' AS TIME) | 12:00:00
CAST(19.99 AS DECIMAL(10, 1)) | 19.9
CAST('2026-02-30' AS DATE) | 2026-03-02
CAST('1900-01-01' AS DATE) | 1970-01-01
CAST('2200-01-01' AS DATE) | 2149-06-06
CAST('2026-01-01 24:00:00' AS TIMESTAMP) | 2026-01-02 00:00:00
CAST(300 AS TINYINT) | 44
nan = nan | 0
nan IN (1.0, nan) | 1
SEEN
echo "seen as described"
