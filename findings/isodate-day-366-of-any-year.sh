#!/usr/bin/env bash
# isodate 0.7.2 reads the 366th day of a year that has 365 as the first day of the next year, and 19 alone as the year 1901,
# the first of the 19th century after the hundreds that the two digits name; pendulum 3.3.0 refuses both.
# Guess before the run: a day that the year lacks is refused, as the 30th of February is.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'isodate==0.7.2' 'pendulum==3.3.0'
venv/bin/python - >seen <<'PROGRAM'
import isodate, pendulum

for text in ("2024-366", "2026-366", "19", "2026-02-30"):
    for name, parse in (("isodate", isodate.parse_date), ("pendulum", lambda text: pendulum.parse(text, exact=True))):
        try:
            print(text, name, parse(text))
        except ValueError as error:
            print(text, name, "refused")
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
2024-366 isodate 2024-12-31
2024-366 pendulum 2024-12-31
2026-366 isodate 2027-01-01
2026-366 pendulum refused
19 isodate 1901-01-01
19 pendulum refused
2026-02-30 isodate refused
2026-02-30 pendulum refused
SEEN
echo "seen as described"
