#!/usr/bin/env bash
# Rules in JSON by json-rules-engine 7.3.1 (npm): "any" of an empty list of conditions holds, as "all" does, so a rule whose
# last condition was removed fires for everybody; a total of "10", " 10 " or "0x10" is above 9 and a list with a 1 below 5,
# but "1" does not equal 1; a text neither contains a letter of its own nor does not contain another; and what is not below 5
# includes "free". A missing fact is an error, and with allowUndefinedFacts differs from every number.
# Guess before the run: "any" of none is false; texts are compared as numbers in all operators or in none.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . json-rules-engine@7.3.1
cat >program.mjs <<'PROGRAM'
import { Engine } from "json-rules-engine";

const fires = async (conditions, facts, options) => {
  const engine = new Engine([{ conditions, event: { type: "sold" } }], options);
  try {
    return (await engine.run(facts)).events.length > 0;
  } catch (error) {
    return error.message;
  }
};
console.log("all of none:", await fires({ all: [] }, {}), "any of none:", await fires({ any: [] }, {}));
const cases = [["greaterThan", 9, "10"], ["greaterThan", 9, " 10 "], ["greaterThan", 9, "0x10"], ["lessThan", 5, [1]]];
cases.push(["equal", 1, "1"], ["contains", "b", "burger"], ["doesNotContain", "z", "burger"], ["in", "burger", "b"]);
cases.push(["lessThan", 5, "free"]);
for (const [operator, value, total] of cases) {
  const condition = { fact: "total", operator, value };
  const [plain, negated] = [await fires({ all: [condition] }, { total }), await fires({ not: condition }, { total })];
  console.log(JSON.stringify(total), operator, JSON.stringify(value), "->", plain, "not:", negated);
}
const other = { all: [{ fact: "total", operator: "notEqual", value: 1 }] };
console.log("missing:", await fires(other, {}), "allowed:", await fires(other, {}, { allowUndefinedFacts: true }));
PROGRAM
node program.mjs >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
all of none: true any of none: true
"10" greaterThan 9 -> true not: false
" 10 " greaterThan 9 -> true not: false
"0x10" greaterThan 9 -> true not: false
[1] lessThan 5 -> true not: false
"1" equal 1 -> false not: true
"burger" contains "b" -> false not: true
"burger" doesNotContain "z" -> false not: true
"b" in "burger" -> true not: false
"free" lessThan 5 -> false not: true
missing: Undefined fact: total allowed: true
SEEN
echo "seen as described"
