#!/usr/bin/env bash
# Pgsql-ast-parser 12.0.2 (npm) reads and writes statements of PostgreSQL; pglast 8.8 (PyPI) holds the server's parser. An id
# of 9007199254740993 is written as ...992 and a price of 19 digits is rounded, as doubles; and IS binds tighter than "=", so
# `vip = member IS NOT TRUE` becomes `vip = (member IS NOT TRUE)`, where PostgreSQL has `(vip = member) IS NOT TRUE`.
# Guess before the run: what is read is written with the same digits and the same groups.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . pgsql-ast-parser@12.0.2
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check pglast==8.8
cat >statements <<'STATEMENTS'
SELECT 9007199254740993
SELECT 12345678901234567.89
SELECT vip = member IS NOT TRUE
SELECT vip = member IS NULL
SELECT NOT vip = member
STATEMENTS
cat >program.cjs <<'PROGRAM'
const { readFileSync } = require("node:fs");
const { parse, toSql } = require("pgsql-ast-parser");

for (const text of readFileSync("statements", "utf8").trim().split("\n")) {
  console.log("pgsql-ast-parser |", text, "|", toSql.statement(parse(text)[0]).trim());
}
PROGRAM
cat >program.py <<'PROGRAM'
from pglast import parse_sql

with open("statements") as file:
    for text in file.read().splitlines():
        value = parse_sql(text)[0].stmt.targetList[0].val
        kept = getattr(getattr(value, "val", None), "fval", None)
        print("pglast |", text, "|", kept or f"{type(value).__name__} of {type(getattr(value, 'arg', None)).__name__}")
PROGRAM
{ node program.cjs && venv/bin/python program.py; } >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
pgsql-ast-parser | SELECT 9007199254740993 | SELECT (9007199254740992)
pgsql-ast-parser | SELECT 12345678901234567.89 | SELECT (12345678901234568.)
pgsql-ast-parser | SELECT vip = member IS NOT TRUE | SELECT (vip = (member IS NOT TRUE))
pgsql-ast-parser | SELECT vip = member IS NULL | SELECT (vip = (member IS NULL))
pgsql-ast-parser | SELECT NOT vip = member | SELECT (NOT (vip = member))
pglast | SELECT 9007199254740993 | 9007199254740993
pglast | SELECT 12345678901234567.89 | 12345678901234567.89
pglast | SELECT vip = member IS NOT TRUE | BooleanTest of A_Expr
pglast | SELECT vip = member IS NULL | NullTest of A_Expr
pglast | SELECT NOT vip = member | BoolExpr of NoneType
SEEN
echo "seen as described"
