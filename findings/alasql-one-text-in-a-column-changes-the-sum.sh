#!/usr/bin/env bash
# A price that is a text makes sums of alasql 4.19.1 (npm) depend on the order of the rows, silently: SUM of 2.5, "10",
# 9 is 9, of "10", 2.5, 9 it is 11.5, and their AVG is 0.84 and 34.2, since texts are appended and then divided. Rows of
# CSV and of forms are such; null and missing prices are left out as in SQL.
# Guess before the run: the text is converted, or left out.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . alasql@4.19.1
cat >program.mjs <<'PROGRAM'
import alasql from "alasql";

for (const prices of [[2.5, "10", 9], ["10", 2.5, 9], [9, 2.5, "10"], [2.5, null, 9]]) {
  const rows = prices.map((price) => ({ price }));
  const [{ s, a }] = alasql("SELECT SUM(price) s, AVG(price) a FROM ?", [rows]);
  console.log(JSON.stringify(prices), "->", s, Number(a).toFixed(2));
}
PROGRAM
node program.mjs >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
[2.5,"10",9] -> 9 0.84
["10",2.5,9] -> 11.5 34.20
[9,2.5,"10"] -> 11.510 3.84
[2.5,null,9] -> 11.5 5.75
SEEN
echo "seen as described"
