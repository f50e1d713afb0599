#!/usr/bin/env bash
# Hours of a store in words, parse-opening-hours 0.4.2 (PyPI): open from 10am to 2am closes at 14:00, and from 11am to 12am at
# 12:00, after an hour: a closing time that is named as one of the night is moved to the afternoon where the store opens in
# the morning. From 6pm to 1am it is right, and "midnight" is 0:00.
# Guess before the run: 2:00 and 0:00, as am says.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'parse-opening-hours==0.4.2'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
from opening_hours import OpeningHours

for text in ("Sat 10am-6pm", "Sat 10am-2am", "Sat 6pm-1am", "Sat 8pm-4am", "Sat 11am-12am", "Sat 11am-midnight", "Mon-Fri 10pm-6am"):
    try:
        found = [f"{hours['day']} {hours['opens']} to {hours['closes']}" for hours in OpeningHours.parse(text).json()]
    except Exception as error:
        found = [type(error).__name__]
    print(text, "->", found[0])
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
Sat 10am-6pm -> saturday 10:00 to 18:00
Sat 10am-2am -> saturday 10:00 to 14:00
Sat 6pm-1am -> saturday 18:00 to 1:00
Sat 8pm-4am -> saturday 20:00 to 4:00
Sat 11am-12am -> saturday 11:00 to 12:00
Sat 11am-midnight -> saturday 11:00 to 0:00
Mon-Fri 10pm-6am -> monday 22:00 to 6:00
SEEN
echo "seen as described"
