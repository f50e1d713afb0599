#!/usr/bin/env bash
# Days by @formkit/tempo 1.1.0 (npm): the 30th of February is the second of March when it is read as ISO 8601 and the 28th of
# February by a format of its own (DD/MM/YYYY); month 13 is an error in both. An hour and a half is an hour, and half a day
# nothing. The 29th of February 2024 and the 28th of February 2025 are a year apart, and 31 January and the first of March
# one month.
# Guess before the run: an error or one day for both; 90 minutes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export TZ=UTC
npm install --silent --no-audit --no-fund --prefix . @formkit/tempo@1.1.0
cat >program.mjs <<'PROGRAM'
import * as tempo from "@formkit/tempo";

const attempt = (name, run) => {
  let answer;
  try {
    answer = run();
  } catch {
    answer = "error";
  }
  console.log(name, "->", answer instanceof Date ? answer.toISOString().slice(0, 16) : answer);
};
attempt("2026-02-30", () => tempo.parse("2026-02-30"));
attempt("30/02/2026", () => tempo.parse("30/02/2026", "DD/MM/YYYY"));
attempt("2026-13-01", () => tempo.parse("2026-13-01"));
attempt("01/13/2026", () => tempo.parse("01/13/2026", "DD/MM/YYYY"));
const start = "2026-01-31T00:00:00Z";
attempt("1.5 hours", () => tempo.addHour(start, 1.5));
attempt("0.5 days", () => tempo.addDay(start, 0.5));
attempt("years between", () => tempo.diffYears("2025-02-28", "2024-02-29"));
attempt("months between", () => tempo.diffMonths("2026-03-01", "2026-01-31"));
PROGRAM
node program.mjs >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
2026-02-30 -> 2026-03-02T00:00
30/02/2026 -> 2026-02-28T00:00
2026-13-01 -> error
01/13/2026 -> error
1.5 hours -> 2026-01-31T01:00
0.5 days -> 2026-01-31T00:00
years between -> 1
months between -> 1
SEEN
echo "seen as described"
