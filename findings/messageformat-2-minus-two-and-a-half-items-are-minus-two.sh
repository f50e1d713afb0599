#!/usr/bin/env bash
# Messages of Unicode's MessageFormat 2 by messageformat 4.0.0 (npm): :integer makes 3 of 2.5 and -2 of -2.5, and 1 of 0.9,
# which then is "exactly one"; :number without fraction digits makes -3. A count that is a text may be 1e0 or have a blank,
# but not 01, which prints the name of the variable, braces and all; an id as a text loses its last digit; null is no
# variable but the text {�}.
# Guess before the run: an integer is rounded as a number without fraction digits is; the id keeps its digits.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . messageformat@4.0.0
cat >program.mjs <<'PROGRAM'
import { MessageFormat } from "messageformat";

const format = (message, n) => {
  const errors = [];
  const text = new MessageFormat("en", message, { bidiIsolation: "none" }).format({ n }, (error) => errors.push(error));
  console.log(message.split("\n")[0], JSON.stringify(n), "->", JSON.stringify(text), errors.length, "errors");
};
for (const n of [2.5, -2.5, 0.5, -0.5]) format("{$n :integer}", n);
for (const n of [2.5, -2.5]) format("{$n :number maximumFractionDigits=0}", n);
const items = ".input {$n :integer}\n.match $n\n1 {{exactly one}}\n* {{{$n} items}}";
for (const n of [0.9, "1e0", " 1", "01"]) format(items, n);
format("{$n :number}", "9007199254740993");
format("{$n}", null);
PROGRAM
node program.mjs >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
{$n :integer} 2.5 -> "3" 0 errors
{$n :integer} -2.5 -> "-2" 0 errors
{$n :integer} 0.5 -> "1" 0 errors
{$n :integer} -0.5 -> "-0" 0 errors
{$n :number maximumFractionDigits=0} 2.5 -> "3" 0 errors
{$n :number maximumFractionDigits=0} -2.5 -> "-3" 0 errors
.input {$n :integer} 0.9 -> "exactly one" 0 errors
.input {$n :integer} "1e0" -> "exactly one" 0 errors
.input {$n :integer} " 1" -> "exactly one" 0 errors
.input {$n :integer} "01" -> "{$n} items" 2 errors
{$n :number} "9007199254740993" -> "9,007,199,254,740,992" 0 errors
{$n} null -> "{�}" 1 errors
SEEN
echo "seen as described"
