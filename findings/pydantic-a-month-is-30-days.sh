#!/usr/bin/env bash
# pydantic 2.14.4 takes the duration P1M for 30 days and P1Y for 365, so P1Y is not P12M; msgspec 0.22.0 refuses both, and
# isodate 0.7.2 keeps months and years as what they are. P1YT, whose T begins nothing, is accepted too.
# Guess before the run: a timedelta has no months, so they are refused.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'pydantic==2.14.4' 'msgspec==0.22.0' 'isodate==0.7.2'
venv/bin/python - >seen <<'PROGRAM'
from datetime import timedelta
import isodate, msgspec
from pydantic import TypeAdapter

for text in ("P1M", "P12M", "P1Y", "P1YT"):
    print(text, "pydantic", TypeAdapter(timedelta).validate_python(text).days, "days")
print("isodate", isodate.parse_duration("P1M"))
try:
    msgspec.json.decode(b'"P1M"', type=timedelta)
except msgspec.ValidationError as error:
    print("msgspec", error)
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
P1M pydantic 30 days
P12M pydantic 360 days
P1Y pydantic 365 days
P1YT pydantic 365 days
isodate 1 month, 0:00:00
msgspec Only units 'D', 'H', 'M', and 'S' are supported when parsing ISO8601 durations
SEEN
echo "seen as described"
