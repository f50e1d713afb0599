#!/usr/bin/env bash
# Dates in arktype 2.2.10 (npm): string.date.iso.parse takes 2026-02-30 and answers 2 March; of a week, 2026-W05, and a
# moment to the hour, which ISO 8601 has and the check allows, it makes a Date that is none, without an error; 24:00:00 is
# refused. string.date.parse makes 1 May 2001 of "burger 5". A number of twenty digits loses the last ones, though an integer
# of twenty digits is refused.
# Guess before the run: the 30th of February is refused by all, as 24:00:00 is; 20 digits are refused as they are for
# integers.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export TZ=UTC
npm install --silent --no-audit --no-fund --prefix . arktype@2.2.10
cat >program.mjs <<'PROGRAM'
import { type } from "arktype";

const cases = [
  ["string.date.iso", ["2026-02-30", "2026-W05", "2026-02-28T10", "2026-02-28T24:00:00Z"]],
  ["string.date.iso.parse", ["2026-02-30", "2026-W05", "2026-02-28T10", "2026-02-28T24:00:00Z"]],
  ["string.date.parse", ["burger 5"]],
  ["string.numeric.parse", ["12345678901234567890"]],
  ["string.integer.parse", ["12345678901234567890"]],
];
for (const [definition, texts] of cases) {
  for (const text of texts) {
    const value = type(definition)(text);
    const shown = value instanceof type.errors ? "refused" : value instanceof Date ? String(value.getTime()) : value;
    console.log(definition, text, "->", shown, value instanceof Date && !isNaN(value) ? value.toISOString() : "");
  }
}
PROGRAM
node program.mjs >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
string.date.iso 2026-02-30 -> 2026-02-30 
string.date.iso 2026-W05 -> 2026-W05 
string.date.iso 2026-02-28T10 -> 2026-02-28T10 
string.date.iso 2026-02-28T24:00:00Z -> refused 
string.date.iso.parse 2026-02-30 -> 1772409600000 2026-03-02T00:00:00.000Z
string.date.iso.parse 2026-W05 -> NaN 
string.date.iso.parse 2026-02-28T10 -> NaN 
string.date.iso.parse 2026-02-28T24:00:00Z -> refused 
string.date.parse burger 5 -> 988675200000 2001-05-01T00:00:00.000Z
string.numeric.parse 12345678901234567890 -> 12345678901234567000 
string.integer.parse 12345678901234567890 -> refused 
SEEN
echo "seen as described"
