#!/usr/bin/env bash
# Expressions of chatbots by adaptive-expressions 4.23.3 (npm): 7.0/2 is 3 and 6/4*2 is 2, for a number that is whole is an
# integer, however it is written, so the half of a price of 7 is 3 and of 8.5 is 4.25; sortBy puts 100 before 9; a text plus 1
# is the text 8.501; bool('no') is true, as 0 is in an if; int('8,50') is 8, and 0.1 + 0.2 == 0.3 holds by a tolerance. A
# moment without milliseconds is refused.
# Guess before the run: 3.5 and 3; 9, 10, 100; an error for a text plus a number; moments of RFC 3339 are taken.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . adaptive-expressions@4.23.3
cat >program.mjs <<'PROGRAM'
import { Expression } from "adaptive-expressions";

const session = { price: "8.50", count: 0, first: 7, second: 8.5 };
for (const text of [
  "7.0/2", "6/4*2", "first/2", "second/2", "sortBy(createArray(10, 9, 100))", "price + 1", "bool('no')", "bool('false')", "if(count, 'yes', 'no')",
  "int('8,50')", "float('5 burgers')", "0.1 + 0.2 == 0.3", "dayOfMonth('2026-11-30T10:00:00.000Z')", "dayOfMonth('2026-11-30T10:00:00Z')", "count == ''",
]) {
  const { value, error } = Expression.parse(text).tryEvaluate(session);
  console.log(text, "->", error ? "an error: " + error : JSON.stringify(value));
}
PROGRAM
TZ=UTC node program.mjs >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
7.0/2 -> 3
6/4*2 -> 2
first/2 -> 3
second/2 -> 4.25
sortBy(createArray(10, 9, 100)) -> [10,100,9]
price + 1 -> "8.501"
bool('no') -> true
bool('false') -> false
if(count, 'yes', 'no') -> "yes"
int('8,50') -> 8
float('5 burgers') -> 5
0.1 + 0.2 == 0.3 -> true
dayOfMonth('2026-11-30T10:00:00.000Z') -> 30
dayOfMonth('2026-11-30T10:00:00Z') -> an error: 2026-11-30T10:00:00Z is not a ISO format datetime string.
count == '' -> false
SEEN
echo "seen as described"
