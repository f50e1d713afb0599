#!/usr/bin/env bash
# cron-time-generator 2.0.3 (npm) writes every(45).minutes() as */45, which runs at :00 and :45, 45 and 15 minutes apart. It writes
# every(90).minutes() as */90 and every(36).hours() as */36, which croner 11.0.1 refuses and cron-parser 5.10.6 runs every hour and
# once a day, and between(22, 2) as the reversed range 22-2, which both refuse.
# Guess before the run: a number that cannot be said in cron is refused, and a night is 22-23,0-2.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . cron-time-generator@2.0.3 croner@11.0.1 cron-parser@5.10.6
cat >program.js <<'PROGRAM'
const { CronTime } = require("cron-time-generator");
const { Cron } = require("croner");
const { CronExpressionParser } = require("cron-parser");

const schedules = {
  "every 45 minutes": CronTime.every(45).minutes(),
  "every 90 minutes": CronTime.every(90).minutes(),
  "every 36 hours": CronTime.every(36).hours(),
  "between 22 and 2": CronTime.between(22, 2).hours(),
};
const from = new Date("2027-01-01T00:30:00Z");
for (const [words, text] of Object.entries(schedules)) {
  const answers = [];
  try {
    answers.push(new Cron(text, { timezone: "UTC" }).nextRuns(3, from).map((run) => run.toISOString().slice(8, 16)).join(" "));
  } catch {
    answers.push("refused");
  }
  try {
    const runs = CronExpressionParser.parse(text, { currentDate: from, tz: "UTC" });
    answers.push(runs.take(3).map((run) => run.toISOString().slice(8, 16)).join(" "));
  } catch {
    answers.push("refused");
  }
  console.log(words, "|", text, "|", answers.join(" | "));
}
PROGRAM
node program.js >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
every 45 minutes | */45 * * * * | 01T00:45 01T01:00 01T01:45 | 01T00:45 01T01:00 01T01:45
every 90 minutes | */90 * * * * | refused | 01T01:00 01T02:00 01T03:00
every 36 hours | 0 */36 * * * | refused | 02T00:00 03T00:00 04T00:00
between 22 and 2 | 0 22-2 * * * | refused | refused
SEEN
echo "seen as described"
