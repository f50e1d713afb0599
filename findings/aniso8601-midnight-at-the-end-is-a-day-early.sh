#!/usr/bin/env bash
# aniso8601 10.0.1 reads 2026-11-28T24:00:00Z, the end of that day in ISO 8601, as its beginning: 24 hours too early, without
# an error. arrow 1.4.0 reads the next day; pendulum 3.3.0, iso8601 2.1.0 and Python's datetime refuse the text.
# Guess before the run: the next day, or an error.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'aniso8601==10.0.1' 'arrow==1.4.0' 'pendulum==3.3.0' 'iso8601==2.1.0'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
from datetime import datetime

import aniso8601, arrow, iso8601, pendulum

for name, read in {
    "aniso8601": aniso8601.parse_datetime,
    "arrow": arrow.get,
    "pendulum": pendulum.parse,
    "iso8601": iso8601.parse_date,
    "datetime": datetime.fromisoformat,
}.items():
    try:
        print(name, read("2026-11-28T24:00:00Z").isoformat())
    except ValueError as error:
        print(name, "refused")
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
aniso8601 2026-11-28T00:00:00+00:00
arrow 2026-11-29T00:00:00+00:00
pendulum refused
iso8601 refused
datetime refused
SEEN
echo "seen as described"
