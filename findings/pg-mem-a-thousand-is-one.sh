#!/usr/bin/env bash
# A database in tests and the database in production: pg-mem 3.0.14 (npm) against PostgreSQL itself, as @electric-sql/pglite
# 0.5.17 (npm). In tests '1,000' and '1_000' are the integer 1, 1/0 is null, a month after 31 January is 2 March, the greatest
# of 1, null and 3 is null, a price of numeric(6, 2) keeps three digits and takes more than it can hold, and NOT IN a list
# with null finds rows.
# Guess before the run: one answer or an error that says what is not supported.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . pg-mem@3.0.14 @electric-sql/pglite@0.5.17
cat >program.mjs <<'PROGRAM'
import { PGlite } from "@electric-sql/pglite";
import { newDb } from "pg-mem";

const memory = newDb().public;
const server = new PGlite();
const tables = "CREATE TABLE dishes (id INT PRIMARY KEY, price NUMERIC(6, 2)); INSERT INTO dishes VALUES (1, 1.505), (2, NULL), (3, 2)";
memory.none(tables);
await server.exec(tables);
const ENGINES = { "pg-mem": async (query) => memory.many(query), PostgreSQL: async (query) => (await server.query(query)).rows };
for (const query of [
  "SELECT '1,000'::int AS n", "SELECT '1_000'::int AS n", "SELECT 1/0 AS n", "SELECT date '2026-01-31' + interval '1 month' AS n",
  "SELECT greatest(1, NULL, 3) AS n", "SELECT price AS n FROM dishes WHERE id = 1", "SELECT id AS n FROM dishes WHERE price NOT IN (2, NULL)",
  "INSERT INTO dishes VALUES (4, 99999.99) RETURNING id AS n", "SELECT 0.1 + 0.2 = 0.3 AS n", "SELECT '24:00'::time AS n",
  "SELECT 9007199254740993::bigint = 9007199254740992::bigint AS n", "SELECT substring('abc' from 0 for 2) AS n",
])
  for (const [name, engine] of Object.entries(ENGINES)) {
    let rows;
    try { rows = (await engine(query)).map(({ n }) => JSON.stringify(n)).join(", "); } catch (error) { rows = "an error: " + error.message.split("\n")[0]; }
    console.log(query, "|", name, "|", rows);
  }
await server.close();
PROGRAM
TZ=UTC node program.mjs >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
SELECT '1,000'::int AS n | pg-mem | 1
SELECT '1,000'::int AS n | PostgreSQL | an error: invalid input syntax for type integer: "1,000"
SELECT '1_000'::int AS n | pg-mem | 1
SELECT '1_000'::int AS n | PostgreSQL | 1000
SELECT 1/0 AS n | pg-mem | null
SELECT 1/0 AS n | PostgreSQL | an error: division by zero
SELECT date '2026-01-31' + interval '1 month' AS n | pg-mem | "2026-03-02T00:00:00.000Z"
SELECT date '2026-01-31' + interval '1 month' AS n | PostgreSQL | "2026-02-28T00:00:00.000Z"
SELECT greatest(1, NULL, 3) AS n | pg-mem | null
SELECT greatest(1, NULL, 3) AS n | PostgreSQL | 3
SELECT price AS n FROM dishes WHERE id = 1 | pg-mem | 1.505
SELECT price AS n FROM dishes WHERE id = 1 | PostgreSQL | "1.51"
SELECT id AS n FROM dishes WHERE price NOT IN (2, NULL) | pg-mem | 1, 2
SELECT id AS n FROM dishes WHERE price NOT IN (2, NULL) | PostgreSQL | 
INSERT INTO dishes VALUES (4, 99999.99) RETURNING id AS n | pg-mem | 4
INSERT INTO dishes VALUES (4, 99999.99) RETURNING id AS n | PostgreSQL | an error: numeric field overflow
SELECT 0.1 + 0.2 = 0.3 AS n | pg-mem | false
SELECT 0.1 + 0.2 = 0.3 AS n | PostgreSQL | true
SELECT '24:00'::time AS n | pg-mem | "00:00:00"
SELECT '24:00'::time AS n | PostgreSQL | "24:00:00"
SELECT 9007199254740993::bigint = 9007199254740992::bigint AS n | pg-mem | true
SELECT 9007199254740993::bigint = 9007199254740992::bigint AS n | PostgreSQL | false
SELECT substring('abc' from 0 for 2) AS n | pg-mem | "ab"
SELECT substring('abc' from 0 for 2) AS n | PostgreSQL | "a"
SEEN
echo "seen as described"
