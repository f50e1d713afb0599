#!/usr/bin/env bash
# Spoken schedules by recurrent 0.4.1 (PyPI): `half past nine every day` is every nine days, `every third tuesday` each
# Tuesday of three weeks, `every leap day` every day; `every day at noon` loses its hour, which `every weekday at 5pm` keeps;
# twice a day, hourly and fortnightly are nothing.
# Guess before the run: what it does not know is None, not another schedule.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check recurrent==0.4.1
venv/bin/python - >seen <<'PROGRAM'
import datetime
from recurrent.event_parser import RecurringEvent

words = (
    "every weekday at 5pm", "every day at noon", "half past nine every day", "every third tuesday", "every leap day", "every feb 29", "every 31st", "twice a day",
    "hourly", "fortnightly",
)
for said in words:
    print(said, "|", RecurringEvent(now_date=datetime.datetime(2026, 11, 30, 12)).parse(said))
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
every weekday at 5pm | RRULE:BYDAY=MO,TU,WE,TH,FR;BYHOUR=17;BYMINUTE=0;INTERVAL=1;FREQ=WEEKLY
every day at noon | RRULE:INTERVAL=1;FREQ=DAILY
half past nine every day | RRULE:INTERVAL=9;FREQ=DAILY
every third tuesday | RRULE:BYDAY=TU;INTERVAL=3;FREQ=WEEKLY
every leap day | RRULE:INTERVAL=1;FREQ=DAILY
every feb 29 | RRULE:BYMONTHDAY=29;BYMONTH=2;INTERVAL=1;FREQ=YEARLY
every 31st | None
twice a day | None
hourly | None
fortnightly | None
SEEN
echo "seen as described"
