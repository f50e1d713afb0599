#!/usr/bin/env bash
# python-dateutil 2.9.0.post0: a rule for day 0 of months, which RFC 5545 does not allow, runs every day, and day 0 beside day
# 30 is passed over; day 32, month 13, day 0 of a year and week 0 never come. rrule 2.8.1 (npm), made after it, has no day for
# day 0.
# Guess before the run: an error, as for hour 24, or no day.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . rrule@2.8.1
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check python-dateutil==2.9.0.post0
cat >program.mjs <<'PROGRAM'
import rrule from "rrule";

const days = rrule.rrulestr("DTSTART:20260101T000000Z\nRRULE:FREQ=MONTHLY;BYMONTHDAY=0;UNTIL=20270101T000000Z").all();
console.log("rrule of npm, day 0:", days.length);
PROGRAM
venv/bin/python - >seen <<'PROGRAM'
import datetime, itertools, json
from dateutil.rrule import rrulestr

rules = ("FREQ=MONTHLY;BYMONTHDAY=0", "FREQ=MONTHLY;BYMONTHDAY=30,0", "FREQ=MONTHLY;BYMONTHDAY=32", "FREQ=YEARLY;BYMONTH=13", "FREQ=YEARLY;BYYEARDAY=0", "FREQ=YEARLY;BYWEEKNO=0")
for rule in rules:
    print(rule, [day.strftime("%m-%d") for day in itertools.islice(rrulestr(rule, dtstart=datetime.datetime(2026, 1, 1)), 3)])
PROGRAM
node program.mjs >>seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
FREQ=MONTHLY;BYMONTHDAY=0 ['01-01', '01-02', '01-03']
FREQ=MONTHLY;BYMONTHDAY=30,0 ['01-30', '03-30', '04-30']
FREQ=MONTHLY;BYMONTHDAY=32 []
FREQ=YEARLY;BYMONTH=13 []
FREQ=YEARLY;BYYEARDAY=0 []
FREQ=YEARLY;BYWEEKNO=0 []
rrule of npm, day 0: 0
SEEN
echo "seen as described"
