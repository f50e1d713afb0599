#!/usr/bin/env bash
# Settings from variables of the environment by dynaconf 3.3.5 (PyPI), which reads values as TOML where it can: +49301234 is
# the number 49301234, 1_000 is 1000, 0x10 is 16, nan is a float, 2026-11-30 is a date and 12:30:00 a time of day, while 08,
# No and 12:30 are texts.
# Guess before the run: numbers and booleans are read, and a number with a plus is a text.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'dynaconf==3.3.5'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import os

from dynaconf import Dynaconf

values = ["+49301234", "1_000", "0x10", "nan", "2026-11-30", "12:30:00", "12:30", "08", "No", "true"]
os.environ.update({f"DYNACONF_V{number}": value for number, value in enumerate(values)})
settings = Dynaconf()
for number, value in enumerate(values):
    print(value, repr(settings.get(f"V{number}")))
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
+49301234 49301234
1_000 1000
0x10 16
nan nan
2026-11-30 datetime.date(2026, 11, 30)
12:30:00 datetime.time(12, 30)
12:30 '12:30'
08 '08'
No 'No'
true True
SEEN
echo "seen as described"
