#!/usr/bin/env bash
# A store of vectors in files, vectra 0.12.3 (npm): the score of a zero vector is NaN, and beside it the list by falling
# scores is in no order: of the three nearest one is the zero vector, and two with the score 1 are not among them. A filter by
# a number in a list finds nothing, so $nin finds all; one by a text in a list is right.
# Guess before the run: the zero vector comes last, and $in takes numbers as $eq does.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . vectra@0.12.3
cat >program.mjs <<'PROGRAM'
import { LocalIndex } from "vectra";

const index = new LocalIndex("index");
await index.createIndex();
const dishes = [["coke", [2, 0], 3], ["tea", [0.9, 0.1], 7], ["a dish without a vector", [0, 0], 4], ["cola", [1, 0], 3.5], ["soda", [5, 0], 9]];
for (const [id, vector, price] of dishes) await index.insertItem({ id, vector, metadata: { price, name: id } });
for (const filter of [undefined, { price: 3 }, { price: { $in: [3, 7] } }, { price: { $nin: [3, 7] } }, { name: { $in: ["coke", "tea"] } }]) {
  const found = await index.queryItems([1, 0], "", 3, filter);
  console.log(JSON.stringify(filter), "->", found.map(({ item, score }) => `${item.id} ${score.toFixed(3)}`).join(", "));
}
PROGRAM
TZ=UTC node program.mjs >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
undefined -> coke 1.000, tea 0.994, a dish without a vector NaN
{"price":3} -> coke 1.000
{"price":{"$in":[3,7]}} -> 
{"price":{"$nin":[3,7]}} -> coke 1.000, tea 0.994, a dish without a vector NaN
{"name":{"$in":["coke","tea"]}} -> coke 1.000, tea 0.994
SEEN
echo "seen as described"
