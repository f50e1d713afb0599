#!/usr/bin/env bash
# Events of iCalendar on the night when clocks go back: by RFC 5545 a duration of a day (P1D) ends at the same hour and PT24H
# an hour earlier. icalendar 7.3.2 and ics 0.7.3 (PyPI) end both at the same hour, after 25 hours, and node-ical 0.26.1 (npm)
# both after 24; an hour from the first half past one lasts two in Python. That half past one is the second for node-ical;
# the half past two that never comes is an hour early for vobject 0.9.9 (PyPI). A moment with a leap second is a whole day
# for vobject, and the category "fish, chips" two for node-ical.
# Guess before the run: P1D and PT24H differ in each, half past one is the first.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export TZ=UTC
npm install --silent --no-audit --no-fund --prefix . node-ical@0.26.1
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'icalendar==7.3.2' 'ics==0.7.3' 'vobject==0.9.9' 'arrow==1.4.0' \
  'python-dateutil==4.0.0'
cat >events.json <<'FILE'
[["P1D", "DTSTART;TZID=America/New_York:20261031T120000", "DURATION:P1D"],
 ["PT24H", "DTSTART;TZID=America/New_York:20261031T120000", "DURATION:PT24H"],
 ["twice", "DTSTART;TZID=America/New_York:20261101T013000", "DURATION:PT1H"],
 ["never", "DTSTART;TZID=America/New_York:20260308T023000", "DURATION:PT1H"],
 ["leap", "DTSTART:20161231T235960Z", "DURATION:PT1H"]]
FILE
cat >read.py <<'FILE'
import json
from datetime import datetime, timezone

import icalendar, ics, vobject

ZONE = """BEGIN:VTIMEZONE
TZID:America/New_York
BEGIN:DAYLIGHT
DTSTART:20070311T020000
TZOFFSETFROM:-0500
TZOFFSETTO:-0400
TZNAME:EDT
RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=2SU
END:DAYLIGHT
BEGIN:STANDARD
DTSTART:20071104T020000
TZOFFSETFROM:-0400
TZOFFSETTO:-0500
TZNAME:EST
RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=1SU
END:STANDARD
END:VTIMEZONE"""


def shown(value):
    return value.astimezone(timezone.utc).strftime("%d %H:%M") if isinstance(value, datetime) else str(value)


for name, *lines in json.load(open("events.json")):
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//menu//menu//EN", *ZONE.splitlines(), "BEGIN:VEVENT", "UID:1",
             "DTSTAMP:20260101T000000Z", *lines, "CATEGORIES:fish\\, chips", "END:VEVENT", "END:VCALENDAR", ""]
    text = "\r\n".join(lines)
    open(f"{name}.ics", "w", newline="").write(text)
    readers = {
        "icalendar": lambda: (lambda event: (event.start, event.end))(icalendar.Calendar.from_ical(text).walk("VEVENT")[0]),
        "ics": lambda: (lambda event: (event.begin.datetime, event.end.datetime))(list(ics.Calendar(text).events)[0]),
        "vobject": lambda: (vobject.readOne(text).vevent.dtstart.value,),
    }
    for reader, read in readers.items():
        try:
            print(name, reader, *map(shown, read()), sep=" | ")
        except Exception as error:
            print(name, reader, "error", sep=" | ")
FILE
cat >read.mjs <<'FILE'
import { readFileSync } from "node:fs";
import ical from "node-ical";

const shown = (moment) => moment.toISOString().slice(8, 16).replace("T", " ");
for (const [name] of JSON.parse(readFileSync("events.json", "utf8"))) {
  const event = Object.values(ical.sync.parseFile(`${name}.ics`)).find((component) => component.type === "VEVENT");
  console.log(name, "| node-ical |", shown(event.start), "|", shown(event.end), JSON.stringify(event.categories));
}
FILE
{ venv/bin/python read.py; node read.mjs; } >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
P1D | icalendar | 31 16:00 | 01 17:00
P1D | ics | 31 16:00 | 01 17:00
P1D | vobject | 31 16:00
PT24H | icalendar | 31 16:00 | 01 17:00
PT24H | ics | 31 16:00 | 01 17:00
PT24H | vobject | 31 16:00
twice | icalendar | 01 05:30 | 01 07:30
twice | ics | 01 05:30 | 01 07:30
twice | vobject | 01 05:30
never | icalendar | 08 07:30 | 08 07:30
never | ics | 08 07:30 | 08 07:30
never | vobject | 08 06:30
leap | icalendar | error
leap | ics | error
leap | vobject | 2016-12-31
P1D | node-ical | 31 16:00 | 01 16:00 ["fish\\","chips"]
PT24H | node-ical | 31 16:00 | 01 16:00 ["fish\\","chips"]
twice | node-ical | 01 06:30 | 01 07:30 ["fish\\","chips"]
never | node-ical | 08 07:30 | 08 08:30 ["fish\\","chips"]
leap | node-ical | 01 00:00 | 01 01:00 ["fish\\","chips"]
SEEN
echo "seen as described"
