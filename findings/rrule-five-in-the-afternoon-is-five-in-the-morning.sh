#!/usr/bin/env bash
# RRule.fromText of rrule 2.8.1 (npm) reads `every weekday at 5pm` as five in the morning, `at 10:30` as 10, `every weekend`
# as every week without days, and `every feb 29` as each day of February on which it begins. What it writes of a rule at 17:30
# says 17.
# Guess before the run: 17, 10:30, Saturday and Sunday, or an error, which `every other friday` is.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . rrule@2.8.1
cat >program.mjs <<'PROGRAM'
import rrule from "rrule";

for (const said of ["every weekday at 5pm", "every weekday at 17", "every tuesday and thursday at 10:30", "every weekend", "every feb 29", "every other friday"]) {
  let rule;
  try {
    rule = String(rrule.RRule.fromText(said));
  } catch (error) {
    rule = "error";
  }
  console.log(said, "|", rule);
}
console.log(new rrule.RRule({ freq: rrule.RRule.WEEKLY, byhour: [17], byminute: [30] }).toText());
PROGRAM
node program.mjs >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
every weekday at 5pm | RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=5
every weekday at 17 | RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=17
every tuesday and thursday at 10:30 | RRULE:FREQ=WEEKLY;BYDAY=TU,TH;BYHOUR=10
every weekend | RRULE:FREQ=WEEKLY
every feb 29 | RRULE:FREQ=YEARLY;BYMONTH=2
every other friday | error
every week at 17
SEEN
echo "seen as described"
