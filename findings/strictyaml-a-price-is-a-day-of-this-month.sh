#!/usr/bin/env bash
# strictyaml 1.7.3 (PyPI), a schema that asks for a Datetime: a price of 8.50 is the eighth of the month in which the program
# runs, 10:30 is a moment of today, sun is the next Sunday, and 2026 is today in that year, so that a file has another meaning
# each day. A day that does not exist is refused.
# Guess before the run: texts of RFC 3339 or of YAML's own timestamps alone, and an error for the rest.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'strictyaml==1.7.3'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import datetime

import strictyaml

read = lambda text: strictyaml.load(f"at: {text}", strictyaml.Map({"at": strictyaml.Datetime()})).data["at"]
today = datetime.datetime.now()
print("8.50", "day", read("8.50").day, "of this month", (read("8.50").year, read("8.50").month) == (today.year, today.month))
print("12", "day", read("12").day, "of this month", (read("12").year, read("12").month) == (today.year, today.month))
print("10:30", read("10:30").time())
print("sun", read("sun").strftime("%A"))
print("2026", "year", read("2026").year)
print("May", "month", read("May").month)
try:
    read("2026-02-30")
except strictyaml.YAMLValidationError as error:
    print("2026-02-30", type(error).__name__)
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
8.50 day 8 of this month True
12 day 12 of this month True
10:30 10:30:00
sun Sunday
2026 year 2026
May month 5
2026-02-30 YAMLValidationError
SEEN
echo "seen as described"
