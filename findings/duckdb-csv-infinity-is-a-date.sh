#!/usr/bin/env bash
# duckdb 2.0.1 takes a CSV column that holds only "inf" or "infinity" for a DATE, not for a DOUBLE; Python gets the last
# day of the year 9999. With one finite number in the column it is text. Casting to DOUBLE takes both.
# Guess before the run: DOUBLE for both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'duckdb==2.0.1'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import duckdb

for values in (["inf", "infinity"], ["inf", "1.5"]):
    with open("rows.csv", "w") as file:
        file.write("id,score\n" + "".join(f"{n},{value}\n" for n, value in enumerate(values)))
    print(duckdb.sql("SELECT typeof(score), score FROM read_csv('rows.csv')").fetchall())
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
[('DATE', datetime.date(9999, 12, 31)), ('DATE', datetime.date(9999, 12, 31))]
[('VARCHAR', 'inf'), ('VARCHAR', '1.5')]
SEEN
echo "seen as described"
