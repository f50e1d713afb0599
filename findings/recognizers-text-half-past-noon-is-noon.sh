#!/usr/bin/env bash
# recognizers-text-suite 1.0.2a2 (PyPI), English: half past noon is 12:00; "in 90 minutes" is a moment, "in an hour and a half",
# "in half an hour" and "in 1.5 hours" are none; -$5 is five dollars. (It imports only beside emoji 1.7.0.)
# Guess before the run: 12:30, four moments, minus five.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check recognizers-text-suite==1.0.2a2 emoji==1.7.0 2>/dev/null
venv/bin/python -W ignore - >seen <<'PROGRAM'
import datetime
from recognizers_date_time import recognize_datetime
from recognizers_number_with_unit import recognize_currency

noted = datetime.datetime(2026, 11, 30, 10, 0)
for text in ("noon", "half past noon", "quarter to twelve", "in 90 minutes", "in an hour and a half", "in half an hour", "in 1.5 hours"):
    found = recognize_datetime(text, "en-us", reference=noted)
    print(text, "|", [value["value"] for one in found for value in one.resolution["values"]])
for text in ("$5", "-$5", "-5 dollars"):
    print(text, "|", [(one.text, one.resolution["value"]) for one in recognize_currency(text, "en-us")])
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
noon | ['12:00:00']
half past noon | ['12:00:00']
quarter to twelve | ['11:45:00', '23:45:00']
in 90 minutes | ['2026-11-30 11:30:00']
in an hour and a half | []
in half an hour | []
in 1.5 hours | []
$5 | [('$5', '5')]
-$5 | [('$5', '5')]
-5 dollars | [('-5 dollars', '-5')]
SEEN
echo "seen as described"
