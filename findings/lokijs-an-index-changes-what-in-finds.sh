#!/usr/bin/env bash
# An index of lokijs 1.5.12 (npm) is no mere help: without one, $in and $aeq find other rows than with an index on the
# same column. $in [9] finds the text "9" too once there is an index, and $in [null] a row without the column; $aeq 0
# finds the empty text only as long as there is none. Adding an index to a menu changes which items a query sells.
# Guess before the run: the same rows, sooner.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . lokijs@1.5.12
cat >program.mjs <<'PROGRAM'
import Loki from "lokijs";

const rows = [{ name: "Cake", price: 9 }, { name: "Fish", price: "9" }, { name: "Free", price: 0 }, { name: "Empty", price: "" }, { name: "Cola", price: null }, { name: "Soup" }];
const [plain, indexed] = [{}, { indices: ["price"] }].map((options) => {
  const items = new Loki("menu").addCollection("items", options);
  items.insert(rows.map((row) => ({ ...row })));
  return items;
});
for (const price of [{ $in: [9] }, { $eq: 9 }, { $in: [null] }, { $eq: null }, { $aeq: 0 }]) {
  const found = [plain, indexed].map((items) => items.find({ price }).map((row) => row.name).sort().join(" "));
  console.log(JSON.stringify(price), "->", found.join(" | "));
}
PROGRAM
node program.mjs >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
{"$in":[9]} -> Cake | Cake Fish
{"$eq":9} -> Cake | Cake
{"$in":[null]} -> Cola | Cola Soup
{"$eq":null} -> Cola | Cola
{"$aeq":0} -> Empty Free | Free
SEEN
echo "seen as described"
