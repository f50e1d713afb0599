#!/usr/bin/env bash
# Recurrences of RFC 5545 by ical.js 2.2.1 and rrule 2.8.1 (npm): each 29th of February is the first of March in other years
# for ical.js, which the RFC says is to be left out; the 30th of February is a day of March; the 20th Monday of a year, and
# the Monday of its first week, are every Monday; the last working day of months begins with the first of January, which is
# not one.
# Guess before the run: one list of moments; days that do not exist are left out.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . ical.js@2.2.1 rrule@2.8.1
cat >program.mjs <<'PROGRAM'
import ICAL from "ical.js";
import rrule from "rrule";

const rules = [
  ["2024-02-29", "FREQ=YEARLY"],
  ["2026-01-01", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=28,30"],
  ["2026-01-01", "FREQ=YEARLY;BYDAY=20MO"],
  ["2026-01-01", "FREQ=YEARLY;BYWEEKNO=1;BYDAY=MO"],
  ["2026-01-01", "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1"],
];
for (const [start, rule] of rules) {
  const dates = ICAL.Recur.fromString(rule).iterator(ICAL.Time.fromDateString(start));
  const first = Array.from({ length: 4 }, () => dates.next().toString());
  const second = rrule.rrulestr(`DTSTART:${start.replaceAll("-", "")}T000000Z\nRRULE:${rule}`).all((_, index) => index < 4);
  console.log(start, rule);
  console.log("    ical.js", first.join(" "));
  console.log("    rrule  ", second.map((date) => date.toISOString().slice(0, 10)).join(" "));
}
PROGRAM
node program.mjs >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
2024-02-29 FREQ=YEARLY
    ical.js 2024-02-29 2025-03-01 2026-03-01 2027-03-01
    rrule   2024-02-29 2028-02-29 2032-02-29 2036-02-29
2026-01-01 FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=28,30
    ical.js 2026-02-28 2026-03-02 2027-02-28 2027-03-02
    rrule   2026-02-28 2027-02-28 2028-02-28 2029-02-28
2026-01-01 FREQ=YEARLY;BYDAY=20MO
    ical.js 2026-01-05 2026-01-12 2026-01-19 2026-01-26
    rrule   2026-05-18 2027-05-17 2028-05-15 2029-05-14
2026-01-01 FREQ=YEARLY;BYWEEKNO=1;BYDAY=MO
    ical.js 2026-01-05 2026-01-12 2026-01-19 2026-01-26
    rrule   2027-01-04 2028-01-03 2029-01-01 2029-12-31
2026-01-01 FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1
    ical.js 2026-01-01 2026-01-30 2026-02-27 2026-03-31
    rrule   2026-01-30 2026-02-27 2026-03-31 2026-04-30
SEEN
echo "seen as described"
