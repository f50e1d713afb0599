#!/usr/bin/env bash
# Node-sql-parser 5.4.0 (npm) reads 1e3 as a number in eleven of its dialects and as a column named 1e3 in those of MySQL and
# MariaDB, where the server takes a number; 1.5e3 is a number in all. The statement that it writes asks for `1e3`, and its
# list of columns has one more. A check of which columns a feature query reads refuses a valid query, or names a column.
# Guess before the run: a number in each dialect.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . node-sql-parser@5.4.0
cat >program.cjs <<'PROGRAM'
const { Parser } = require("node-sql-parser");

const parser = new Parser();
for (const database of ["mysql", "mariadb", "postgresql", "sqlite", "bigquery", "snowflake", "transactsql"]) {
  for (const price of ["1e3", "1.5e3"]) {
    const { ast, columnList } = parser.parse(`SELECT dish FROM dishes WHERE price < ${price}`, { database });
    const written = parser.sqlify(ast, { database }).split("< ")[1];
    console.log(database, price, "->", written, "| columns", columnList.map((column) => column.split("::")[2]).join(" "));
  }
}
PROGRAM
node program.cjs >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
mysql 1e3 -> `1e3` | columns dish price 1e3
mysql 1.5e3 -> 1.5e3 | columns dish price
mariadb 1e3 -> `1e3` | columns dish price 1e3
mariadb 1.5e3 -> 1.5e3 | columns dish price
postgresql 1e3 -> 1e3 | columns dish price
postgresql 1.5e3 -> 1.5e3 | columns dish price
sqlite 1e3 -> 1e3 | columns dish price
sqlite 1.5e3 -> 1.5e3 | columns dish price
bigquery 1e3 -> 1e3 | columns dish price
bigquery 1.5e3 -> 1.5e3 | columns dish price
snowflake 1e3 -> 1e3 | columns dish price
snowflake 1.5e3 -> 1.5e3 | columns dish price
transactsql 1e3 -> 1e3 | columns dish price
transactsql 1.5e3 -> 1.5e3 | columns dish price
SEEN
echo "seen as described"
