#!/usr/bin/env bash
# dateparser 1.5.0, asked for the future: "at 1730" is the 25th of November of the year 1730, and "tonight at 8" is now, at 10 in
# the morning. parsedatetime 2.6 reads "at 1730" as 17:30, takes "tonight at 8" for 21:00, and "5.30 pm" for the 30th of May.
# Guess before the run: four digits after "at" are a time; what is not understood gives nothing.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'dateparser==1.5.0' 'parsedatetime==2.6'
venv/bin/python - >seen <<'PROGRAM'
from datetime import datetime

import dateparser
import parsedatetime

NOW = datetime(2026, 11, 25, 10, 0)
for text in ("at 1730", "at 17:30", "tonight at 8", "5.30 pm", "5:30 pm"):
    moment, found = parsedatetime.Calendar().parseDT(text, NOW)
    settings = {"RELATIVE_BASE": NOW, "PREFER_DATES_FROM": "future"}
    print(f"{text}: dateparser {dateparser.parse(text, settings=settings)}, parsedatetime {moment if found else None}")
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
at 1730: dateparser 1730-11-25 00:00:00, parsedatetime 2026-11-25 17:30:00
at 17:30: dateparser 2026-11-25 17:30:00, parsedatetime 2026-11-25 17:30:00
tonight at 8: dateparser 2026-11-25 10:00:00, parsedatetime 2026-11-25 21:00:00
5.30 pm: dateparser 2026-11-25 17:30:00, parsedatetime 2027-05-30 10:00:00
5:30 pm: dateparser 2026-11-25 17:30:00, parsedatetime 2026-11-25 17:30:00
SEEN
echo "seen as described"
