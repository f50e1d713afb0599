#!/usr/bin/env bash
# duckdb 2.0.1 reads 01/02/2026 in a CSV file as the first of February, and the same line as the second of January as soon
# as another line has a day above 12 in the middle. 01/02/26 is the 26th of February 2001.
# Guess before the run: a date that can be read in two ways stays a text, or is that of the month first in every file.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'duckdb==2.0.1'
venv/bin/python - >seen <<'PROGRAM'
import duckdb

for days in (["01/02/2026"], ["01/02/2026", "02/13/2026"], ["01/02/2026", "13/02/2026"], ["01/02/26"]):
    with open("visits.csv", "w") as file:
        file.writelines(["guest,day\n", *(f"{guest},{day}\n" for guest, day in enumerate(days))])
    (first, *_) = duckdb.sql("SELECT day FROM 'visits.csv' ORDER BY guest").fetchall()
    print(*days, "->", first[0])
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
01/02/2026 -> 2026-02-01
01/02/2026 02/13/2026 -> 2026-01-02
01/02/2026 13/02/2026 -> 2026-02-01
01/02/26 -> 2001-02-26
SEEN
echo "seen as described"
