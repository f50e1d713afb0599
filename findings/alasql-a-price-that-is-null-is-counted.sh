#!/usr/bin/env bash
# SQL over arrays by alasql 4.19.1 (npm): count(price) counts a null and avg(price) divides by it, so the mean of 1.5, 2 and
# null is 1.1667; NOT (price = 1.5) finds null; 2 ^ 3 is 1 and -2 ^ 2 is 0; a month after 31 January is 3 March; a sum or the
# greatest of texts is missing from its row.
# Guess before the run: counts and means over what is there, as in every engine of SQL; 28 February.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . alasql@4.19.1
cat >program.mjs <<'PROGRAM'
import alasql from "alasql";

alasql("CREATE TABLE dishes (id INT, price NUMBER, size STRING)");
alasql("INSERT INTO dishes VALUES (1, 1.5, '10'), (2, NULL, '9'), (3, 2, NULL)");
for (const query of [
  "SELECT count(*) AS dishes, count(price) AS prices, avg(price) AS mean, min(price) AS least FROM dishes",
  "SELECT id FROM dishes WHERE NOT (price = 1.5)",
  "SELECT id FROM dishes WHERE price <> 1.5",
  "SELECT id, price, size FROM dishes WHERE id = 2",
  "SELECT sum(size) AS sizes, max(size) AS greatest FROM dishes",
  "SELECT 2 ^ 3 AS power, -2 ^ 2 AS negative, round(-2.5) AS rounded",
  "SELECT dateadd(month, 1, '2026-01-31') AS later",
]) console.log(query, "->", JSON.stringify(alasql(query)));
PROGRAM
TZ=UTC node program.mjs >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
SELECT count(*) AS dishes, count(price) AS prices, avg(price) AS mean, min(price) AS least FROM dishes -> [{"dishes":3,"prices":3,"mean":1.1666666666666667,"least":1.5}]
SELECT id FROM dishes WHERE NOT (price = 1.5) -> [{"id":2},{"id":3}]
SELECT id FROM dishes WHERE price <> 1.5 -> [{"id":3}]
SELECT id, price, size FROM dishes WHERE id = 2 -> [{"id":2,"price":null,"size":"9"}]
SELECT sum(size) AS sizes, max(size) AS greatest FROM dishes -> [{}]
SELECT 2 ^ 3 AS power, -2 ^ 2 AS negative, round(-2.5) AS rounded -> [{"power":1,"negative":0,"rounded":-2}]
SELECT dateadd(month, 1, '2026-01-31') AS later -> [{"later":"2026-03-03T00:00:00.000Z"}]
SEEN
echo "seen as described"
