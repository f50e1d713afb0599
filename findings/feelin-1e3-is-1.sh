#!/usr/bin/env bash
# Decisions in FEEL, the language of DMN, by feelin 8.2.0 (npm): 1e3 is 1, for what follows the digit is dropped without a
# word, while 1.5e3 is 1500. Numbers are doubles where the standard has decimals of 34 digits: 0.1 + 0.2 = 0.3 is false, 1.005
# to two digits half up is 1, and two ids that differ by one are equal. Years and months between two days are P28D, a duration
# of days.
# Guess before the run: 1000, true, 1.01, false and P0M.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . feelin@8.2.0
cat >program.mjs <<'PROGRAM'
import { evaluate } from "feelin";

const texts = ["1e3", "1.5e3 + 1", "0.1 + 0.2 = 0.3", "round half up(1.005, 2)", "9007199254740993 = 9007199254740992", 'string(years and months duration(date("2026-01-31"), date("2026-02-28")))', '"1" = 1', 'date("2026-02-30")'];
for (const text of texts) console.log(text, "->", JSON.stringify(evaluate(text, {}).value));
PROGRAM
TZ=UTC node program.mjs >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
1e3 -> 1
1.5e3 + 1 -> 1501
0.1 + 0.2 = 0.3 -> false
round half up(1.005, 2) -> 1
9007199254740993 = 9007199254740992 -> true
string(years and months duration(date("2026-01-31"), date("2026-02-28"))) -> "P28D"
"1" = 1 -> null
date("2026-02-30") -> null
SEEN
echo "seen as described"
