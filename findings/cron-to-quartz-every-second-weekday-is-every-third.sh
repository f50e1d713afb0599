#!/usr/bin/env bash
# cron-to-quartz 1.4.15 (npm) writes cron as Quartz, which counts days of the week from 1 for Sunday: it adds one to every
# number of that field, also to the step, so that every second day of the week (*/2) becomes every third (*/3); Sunday as 7
# becomes 8, and a range 5-7 becomes 6-8, which Quartz does not have. A word for Sunday, and 0, are right, and of both day
# fields it makes two schedules, as cron means.
# Guess before the run: the step stays, and 7 becomes 1.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . cron-to-quartz@1.4.15
cat >program.cjs <<'PROGRAM'
const { getQuartz } = require("cron-to-quartz");

const texts = ["0 0 * * */2", "0 9 * * 1-5/2", "0 0 * * 7", "0 0 * * 5-7", "0 0 * * 0", "0 0 * * SUN", "0 0 13 * 5"];
for (const text of texts) {
  console.log(text, "->", getQuartz(text).map((fields) => fields.join(" ")).join(" and "));
}
PROGRAM
node program.cjs >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
0 0 * * */2 -> 0 0 0 ? * */3 *
0 9 * * 1-5/2 -> 0 0 9 ? * 2-6/3 *
0 0 * * 7 -> 0 0 0 ? * 8 *
0 0 * * 5-7 -> 0 0 0 ? * 6-8 *
0 0 * * 0 -> 0 0 0 ? * 1 *
0 0 * * SUN -> 0 0 0 ? * SUN *
0 0 13 * 5 -> 0 0 0 13 * ? * and 0 0 0 ? * 6 *
SEEN
echo "seen as described"
