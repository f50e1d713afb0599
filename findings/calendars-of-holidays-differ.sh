#!/usr/bin/env bash
# Public holidays of 2026 to 2028 in the United States, Brazil and Ontario by holidays 0.109 and workalendar 17.0.0 (PyPI) and
# date-holidays 3.37.0 (npm): workalendar lacks Juneteenth, Good Friday in Brazil and its day of Black Awareness;
# date-holidays has Easter Monday in Ontario alone, days of elections in Brazil, and no substitute for Veterans Day of 2028.
# Guess before the run: one list for the United States, a day or two elsewhere.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . date-holidays@3.37.0
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check holidays==0.109 workalendar==17.0.0
cat >program.mjs <<'PROGRAM'
import fs from "node:fs";
import Holidays from "date-holidays";

for (const [country, [first, second]] of Object.entries(JSON.parse(fs.readFileSync("days.json")))) {
  const calendar = country === "CA" ? new Holidays("CA", "ON") : new Holidays(country);
  const listed = [2026, 2027, 2028].flatMap((year) => calendar.getHolidays(year)).filter((day) => day.type === "public");
  const third = new Set(listed.map((day) => day.date.slice(0, 10)));
  const all = [...new Set([...first, ...second, ...third])].sort();
  const given = (days, day) => ([...days].includes(day) ? "yes" : "no");
  console.log(country, "day, holidays, workalendar, date-holidays");
  for (const day of all) {
    const answers = [first, second, third].map((days) => given(days, day));
    if (new Set(answers).size > 1) console.log("   ", day, answers.join(" "));
  }
}
PROGRAM
venv/bin/python - >seen <<'PROGRAM'
import json
import holidays
from workalendar.registry import registry

days = {}
for country, part in (("US", None), ("BR", None), ("CA", "ON")):
    first = {str(day) for day in holidays.country_holidays(country, subdiv=part, years=(2026, 2027, 2028))}
    calendar = registry.get(f"{country}-{part}" if part else country)()
    days[country] = [sorted(first), sorted({str(day) for year in (2026, 2027, 2028) for day, _ in calendar.holidays(year)})]
with open("days.json", "w") as file:
    json.dump(days, file)
PROGRAM
node program.mjs >>seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
US day, holidays, workalendar, date-holidays
    2026-06-19 yes no yes
    2027-06-18 yes no yes
    2027-06-19 yes no yes
    2028-06-19 yes no yes
    2028-11-10 yes yes no
BR day, holidays, workalendar, date-holidays
    2026-04-03 yes no yes
    2026-04-05 no yes no
    2026-10-04 no no yes
    2026-10-25 no no yes
    2026-11-20 yes no yes
    2027-03-26 yes no yes
    2027-03-28 no yes no
    2027-11-20 yes no yes
    2028-04-14 yes no yes
    2028-04-16 no yes no
    2028-10-01 no no yes
    2028-10-29 no no yes
    2028-11-20 yes no yes
CA day, holidays, workalendar, date-holidays
    2026-04-06 no no yes
    2026-08-03 no yes no
    2026-12-28 yes yes no
    2027-03-29 no no yes
    2027-08-02 no yes no
    2027-12-27 yes yes no
    2027-12-28 yes yes no
    2028-01-03 yes yes no
    2028-04-17 no no yes
    2028-07-03 no yes no
    2028-08-07 no yes no
SEEN
echo "seen as described"
