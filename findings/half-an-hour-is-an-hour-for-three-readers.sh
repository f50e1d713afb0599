#!/usr/bin/env bash
# Spoken waits: parsedatetime 2.6, recurrent 0.4.1 and timefhuman 0.1.5 take "in half an hour" for an hour, and all three take "in an hour
# and a half" for an hour too, without a word that a part was not read. dateparser 1.5.0 reads neither. "in 1.5 hours" is right
# in all four, so a pickup time that is said in digits is right and the same in words is not.
# Guess before the run: who does not know "half" answers nothing.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'parsedatetime==2.6' 'recurrent==0.4.1' 'timefhuman==0.1.5' 'dateparser==1.5.0'
venv/bin/python - >seen <<'PROGRAM'
import contextlib
import io
from datetime import datetime

with contextlib.redirect_stderr(io.StringIO()):
    import dateparser
    import parsedatetime
    import recurrent
    import timefhuman

NOW = datetime(2026, 11, 25, 10, 0)


def by_parsedatetime(text: str) -> datetime | None:
    moment, found = parsedatetime.Calendar().parseDT(text, NOW)
    return moment if found else None


readers = {
    "parsedatetime": by_parsedatetime,
    "recurrent": lambda text: recurrent.RecurringEvent(now_date=NOW).parse(text),
    "timefhuman": lambda text: timefhuman.timefhuman(text, timefhuman.tfhConfig(now=NOW))[0],
    "dateparser": lambda text: dateparser.parse(text, settings={"RELATIVE_BASE": NOW, "PREFER_DATES_FROM": "future"}),
}
for text in ("in half an hour", "in an hour and a half", "in 1.5 hours"):
    for name, read in readers.items():
        print(f"{text}: {name}", read(text))
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
in half an hour: parsedatetime 2026-11-25 11:00:00
in half an hour: recurrent 2026-11-25 11:00:00
in half an hour: timefhuman 2026-11-25 11:00:00
in half an hour: dateparser None
in an hour and a half: parsedatetime 2026-11-25 11:00:00
in an hour and a half: recurrent 2026-11-25 11:00:00
in an hour and a half: timefhuman 2026-11-25 11:00:00
in an hour and a half: dateparser None
in 1.5 hours: parsedatetime 2026-11-25 11:30:00
in 1.5 hours: recurrent 2026-11-25 11:30:00
in 1.5 hours: timefhuman 2026-11-25 11:30:00
in 1.5 hours: dateparser 2026-11-25 11:30:00
SEEN
echo "seen as described"
