#!/usr/bin/env bash
# Types of yamale 6.1.0 (PyPI): day() takes 2026-11-30T10:00:00, a moment, while timestamp() refuses 2026-11-30, a day; ip()
# takes the number 3232235777, and int() takes 11:22:33, an integer to the base of 60 for its reader of YAML 1.1.
# Guess before the run: day() refuses a moment and ip() a number.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'yamale==6.1.0'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import yamale

for rule, text in (("day()", "2026-11-30"), ("day()", "2026-11-30T10:00:00"), ("timestamp()", "2026-11-30"), ("ip()", "3232235777"), ("int()", "11:22:33")):
    try:
        yamale.validate(yamale.make_schema(content="q: " + rule), yamale.make_data(content="q: " + text))
        print(rule, text, "valid")
    except ValueError:
        print(rule, text, "refused")
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
day() 2026-11-30 valid
day() 2026-11-30T10:00:00 valid
timestamp() 2026-11-30 refused
ip() 3232235777 valid
int() 11:22:33 valid
SEEN
echo "seen as described"
