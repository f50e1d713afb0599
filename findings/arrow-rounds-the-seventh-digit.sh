#!/usr/bin/env bash
# arrow 1.4.0 rounds a seventh digit of a second, so that a moment can move into the next minute, day or year; pendulum 3.3.0,
# iso8601 2.1.0, isodate 0.7.2 and Python's datetime cut it. Rows that tie on a moment in one reader do not in the other,
# and 9999-12-31T23:59:59.9999999Z, the greatest moment of .NET, raises an OverflowError.
# Guess before the run: cut by all.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'arrow==1.4.0' 'pendulum==3.3.0' 'iso8601==2.1.0' 'isodate==0.7.2'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
from datetime import datetime

import arrow, iso8601, isodate, pendulum

for text in ("2026-12-31T23:59:59.9999999Z", "2026-11-28T10:00:00.1234567Z", "9999-12-31T23:59:59.9999999Z"):
    print(text)
    for name, read in {
        "arrow": arrow.get,
        "pendulum": pendulum.parse,
        "iso8601": iso8601.parse_date,
        "isodate": isodate.parse_datetime,
        "datetime": datetime.fromisoformat,
    }.items():
        try:
            print(" ", name, read(text).isoformat())
        except OverflowError as error:
            print(" ", name, type(error).__name__)
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
2026-12-31T23:59:59.9999999Z
  arrow 2027-01-01T00:00:00+00:00
  pendulum 2026-12-31T23:59:59.999999+00:00
  iso8601 2026-12-31T23:59:59.999999+00:00
  isodate 2026-12-31T23:59:59.999999+00:00
  datetime 2026-12-31T23:59:59.999999+00:00
2026-11-28T10:00:00.1234567Z
  arrow 2026-11-28T10:00:00.123457+00:00
  pendulum 2026-11-28T10:00:00.123456+00:00
  iso8601 2026-11-28T10:00:00.123456+00:00
  isodate 2026-11-28T10:00:00.123456+00:00
  datetime 2026-11-28T10:00:00.123456+00:00
9999-12-31T23:59:59.9999999Z
  arrow OverflowError
  pendulum 9999-12-31T23:59:59.999999+00:00
  iso8601 9999-12-31T23:59:59.999999+00:00
  isodate 9999-12-31T23:59:59.999999+00:00
  datetime 9999-12-31T23:59:59.999999+00:00
SEEN
echo "seen as described"
