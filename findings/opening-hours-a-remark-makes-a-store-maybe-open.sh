#!/usr/bin/env bash
# Hours of a store in the language of OpenStreetMap, by opening-hours-py 2.1.4 (PyPI, Rust) and opening_hours 3.15.0 (npm).
# With a remark, or with an open end, a store is open for the one and unknown for the other; in school holidays the first,
# which has none, is closed; of `Mo-Fr 9-17` and `Mo - Fr 9:00 - 17:00` it makes an error where the other reads the hours; a
# step of an hour and a half is an error of the other.
# Guess before the run: one answer: both follow the published grammar.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . opening_hours@3.15.0
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check opening-hours-py==2.1.4
cat >program.mjs <<'PROGRAM'
import fs from "node:fs";
import opening_hours from "opening_hours";

const berlin = { lat: 52.5, lon: 13.4, address: { country_code: "de", state: "Berlin" } };
for (const [hours, moment] of JSON.parse(fs.readFileSync("cases.json"))) {
  let state;
  try {
    state = new opening_hours(hours, berlin).getStateString(new Date(moment));
  } catch {
    state = "error";
  }
  console.log(hours, "|", moment, "|", state);
}
PROGRAM
venv/bin/python - >seen <<'PROGRAM'
import datetime, json
from opening_hours import OpeningHours, ParserError

cases = [
    ('10:00-12:00 "call"', "2026-11-30T11:00"), ("10:00+", "2026-11-30T23:00"), ("SH 10:00-12:00", "2026-12-25T11:00"), ("Mo-Fr 9-17", "2026-11-30T10:00"),
    ("Mo - Fr 9:00 - 17:00", "2026-11-30T10:00"), ("10:00-16:00/01:30", "2026-11-30T11:30"), ("PH off; 10:00-12:00", "2026-12-25T11:00"),
]
for hours, moment in cases:
    try:
        state = str(OpeningHours(hours, country="DE").state(datetime.datetime.fromisoformat(moment))[0])
    except ParserError:
        state = "error"
    print(hours, "|", moment, "|", state)
with open("cases.json", "w") as file:
    json.dump(cases, file)
PROGRAM
node program.mjs >>seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
10:00-12:00 "call" | 2026-11-30T11:00 | open
10:00+ | 2026-11-30T23:00 | open
SH 10:00-12:00 | 2026-12-25T11:00 | closed
Mo-Fr 9-17 | 2026-11-30T10:00 | error
Mo - Fr 9:00 - 17:00 | 2026-11-30T10:00 | error
10:00-16:00/01:30 | 2026-11-30T11:30 | open
PH off; 10:00-12:00 | 2026-12-25T11:00 | open
10:00-12:00 "call" | 2026-11-30T11:00 | unknown
10:00+ | 2026-11-30T23:00 | unknown
SH 10:00-12:00 | 2026-12-25T11:00 | open
Mo-Fr 9-17 | 2026-11-30T10:00 | open
Mo - Fr 9:00 - 17:00 | 2026-11-30T10:00 | open
10:00-16:00/01:30 | 2026-11-30T11:30 | error
PH off; 10:00-12:00 | 2026-12-25T11:00 | open
SEEN
echo "seen as described"
