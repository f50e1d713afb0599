#!/usr/bin/env bash
# A table of prices read by sqlite-utils 4.2.1 (PyPI), which finds the types of CSV: it asks Python what a number is and
# SQLite keeps it by its own rules. 1_000 and digits of another script make a column of integers whose values are texts, so
# that a sum counts 1_000 as 1 and comparisons put it above every number; nan in a column of floats is a text, too; 2^63
# becomes a double, and 007 is 7.
# Guess before the run: columns of texts for what SQLite does not read as a number.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'sqlite-utils==4.2.1'
cat >menu.csv <<'FILE'
dish,price,stock,code,id,rate
Fries,3.50,1_000,007,9223372036854775808,nan
Cola,,12,012,1,0.5
Burger,8.50,9,100,2,1.5
FILE
cat >read.py <<'FILE'
import sqlite3

connection = sqlite3.connect("menu.db")
for name, kind in connection.execute("SELECT name, type FROM pragma_table_info('menu')"):
    values = connection.execute(f'SELECT typeof("{name}"), "{name}" FROM menu').fetchall()
    print(name, kind, *(f"{value!r} ({stored})" for stored, value in values), sep=" | ")
print("stock in all:", connection.execute("SELECT sum(stock) FROM menu").fetchone()[0])
print("greatest stock and price:", *connection.execute("SELECT max(stock), max(price) FROM menu").fetchone())
print("more than 100:", connection.execute("SELECT dish FROM menu WHERE stock > 100").fetchall())
FILE
{
  venv/bin/sqlite-utils insert menu.db menu menu.csv --csv
  venv/bin/python read.py
} >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }

dish | TEXT | 'Fries' (text) | 'Cola' (text) | 'Burger' (text)
price | REAL | 3.5 (real) | None (null) | 8.5 (real)
stock | INTEGER | '1_000' (text) | 12 (integer) | 9 (integer)
code | INTEGER | 7 (integer) | 12 (integer) | 100 (integer)
id | INTEGER | 9.223372036854776e+18 (real) | 1 (integer) | 2 (integer)
rate | REAL | 'nan' (text) | 0.5 (real) | 1.5 (real)
stock in all: 22.0
greatest stock and price: 1_000 8.5
more than 100: [('Fries',)]
SEEN
echo "seen as described"
