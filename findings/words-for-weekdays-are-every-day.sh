#!/usr/bin/env bash
# Schedules in words: @darkeyedevelopers/natural-cron.js 1.1.0 (npm) makes "weekdays at 9:30am" a schedule of every day, "every
# other day" one of each, and "every day at half past five" one of every minute. human-to-cron 0.3.1 (npm, with seconds) runs "every
# day at 12:30 am" at noon, "every monday and friday" on Fridays alone and "sunday at 7am" in each second of Sunday.
# Neither refuses a word that it does not know.
# Guess before the run: weekdays are Monday to Friday, and a time that is not understood is an error.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . @darkeyedevelopers/natural-cron.js@1.1.0 human-to-cron@0.3.1
cat >program.js <<'PROGRAM'
const natural = require("@darkeyedevelopers/natural-cron.js");
const human = require("human-to-cron");

const schedules = [
  "weekdays at 9:30am",
  "every other day at 9am",
  "every day at half past five",
  "every day at 12:30 am",
  "every monday and friday at 17:00",
  "sunday at 7am",
];
for (const words of schedules) console.log(words, "|", natural(words), "|", human(words));
PROGRAM
node program.js >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
weekdays at 9:30am | 30 9 * * ? * | * * * * * *
every other day at 9am | 0 9 * * ? * | * * * * * *
every day at half past five | * * * * ? * | * * * * * */1
every day at 12:30 am | 30 0 * * ? * | 0 30 12 * * */1
every monday and friday at 17:00 | 0 17 ? * MON,FRI * | 0 0 17 * * 5
sunday at 7am | 0 7 ? * SUN * | * * * * * 0
SEEN
echo "seen as described"
