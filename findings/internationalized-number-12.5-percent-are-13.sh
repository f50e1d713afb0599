#!/usr/bin/env bash
# Amounts that a person types, by @internationalized/number 3.6.9 (npm): a percentage is rounded to whole percents when it is
# read, so 12.5% is 0.13, 7.25% is 0.07 and 0.4% is 0; its check of half-typed texts refuses what it reads. In German 1.5 is
# 15 and 1.50 is 150; in English 1,5 is 15 and 8,50 dollars are 850, and the check finds nothing.
# Guess before the run: 0.125, for only what is written is rounded; NaN for a point that separates no three digits.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . @internationalized/number@3.6.9
cat >program.mjs <<'PROGRAM'
import { NumberParser } from "@internationalized/number";

const CASES = [
  ["en-US", { style: "percent" }, ["12.5%", "7.25%", "7.25", "0.4%"]], ["en-US", { style: "percent", maximumFractionDigits: 2 }, ["12.5%"]],
  ["de-DE", {}, ["1,5", "1.5", "1.50", "1.500"]], ["en-US", {}, ["1.5", "1,5"]], ["en-US", { style: "currency", currency: "USD" }, ["$8.50", "8,50", "($5)"]],
];
for (const [language, options, texts] of CASES) {
  const parser = new NumberParser(language, options);
  for (const text of texts) console.log(language, JSON.stringify(options), text, "->", parser.parse(text), parser.isValidPartialNumber(text) ? "valid" : "not valid");
}
PROGRAM
TZ=UTC node program.mjs >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
en-US {"style":"percent"} 12.5% -> 0.13 not valid
en-US {"style":"percent"} 7.25% -> 0.07 not valid
en-US {"style":"percent"} 7.25 -> 0.07 not valid
en-US {"style":"percent"} 0.4% -> 0 not valid
en-US {"style":"percent","maximumFractionDigits":2} 12.5% -> 0.125 valid
de-DE {} 1,5 -> 1.5 valid
de-DE {} 1.5 -> 15 valid
de-DE {} 1.50 -> 150 valid
de-DE {} 1.500 -> 1500 valid
en-US {} 1.5 -> 1.5 valid
en-US {} 1,5 -> 15 valid
en-US {"style":"currency","currency":"USD"} $8.50 -> 8.5 valid
en-US {"style":"currency","currency":"USD"} 8,50 -> 850 valid
en-US {"style":"currency","currency":"USD"} ($5) -> NaN not valid
SEEN
echo "seen as described"
