#!/usr/bin/env bash
# @datasert/cronjs-matcher 1.4.0 (npm) on the night when clocks go back: "30 1 * * *" runs in the second pass of the repeated
# hour, but an hourly schedule, or one of every half hour, in the first alone, and misses an hour: two hours lie between two
# hourly runs. croner 11.0.1 runs 01:30 in the first pass, and hourly schedules every hour.
# Guess before the run: every hour in both, and 01:30 in the first pass.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . @datasert/cronjs-matcher@1.4.0 croner@11.0.1
cat >program.mjs <<'PROGRAM'
import { getFutureMatches } from "@datasert/cronjs-matcher";
import { Cron } from "croner";

for (const [text, timezone, startAt] of [
  ["0 * * * *", "Europe/London", "2026-10-24T22:30:00Z"],
  ["30 1 * * *", "Europe/London", "2026-10-24T22:30:00Z"],
  ["*/30 * * * *", "Europe/London", "2026-10-24T23:10:00Z"],
]) {
  console.log(text, timezone);
  console.log("  cronjs-matcher", getFutureMatches(text, { matchCount: 4, startAt, timezone }).map((t) => t.slice(8, 16)).join(" "));
  const runs = new Cron(text, { timezone }).nextRuns(4, new Date(startAt));
  console.log("  croner        ", runs.map((t) => t.toISOString().slice(8, 16)).join(" "));
}
PROGRAM
node program.mjs >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
0 * * * * Europe/London
  cronjs-matcher 24T23:00 25T00:00 25T02:00 25T03:00
  croner         24T23:00 25T00:00 25T01:00 25T02:00
30 1 * * * Europe/London
  cronjs-matcher 25T01:30 26T01:30 27T01:30 28T01:30
  croner         25T00:30 26T01:30 27T01:30 28T01:30
*/30 * * * * Europe/London
  cronjs-matcher 24T23:30 25T00:00 25T00:30 25T02:00
  croner         24T23:30 25T00:00 25T00:30 25T01:00
SEEN
echo "seen as described"
