#!/usr/bin/env bash
# The fraction of a second of an Ion timestamp may have any number of digits. The reader of amazon.ion 0.15.0 (PyPI)
# keeps nine, refuses ten with an internal error, and from twelve on the whole fraction is gone, without an error:
# .123456789012 is read as .000000000 and written so. The time in Python is cut to microseconds in any case.
# Guess before the run: nine digits kept of any number, or six.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'amazon.ion==0.15.0'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
from amazon.ion import simpleion

for digits in ("123456", "123456789", "1234567890", "123456789012", "1234567890123"):
    try:
        moment = simpleion.loads(f"2026-11-30T10:00:00.{digits}Z")
        print(digits, "->", moment.isoformat(), simpleion.dumps(moment, binary=False).removeprefix("$ion_1_0 "))
    except Exception as error:
        print(digits, "->", type(error).__name__)
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
123456 -> 2026-11-30T10:00:00.123456+00:00 2026-11-30T10:00:00.123456Z
123456789 -> 2026-11-30T10:00:00.123456+00:00 2026-11-30T10:00:00.123456789Z
1234567890 -> IonException
123456789012 -> 2026-11-30T10:00:00+00:00 2026-11-30T10:00:00.000000000Z
1234567890123 -> 2026-11-30T10:00:00+00:00 2026-11-30T10:00:00.000000000Z
SEEN
echo "seen as described"
