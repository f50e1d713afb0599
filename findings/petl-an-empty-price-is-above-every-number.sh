#!/usr/bin/env bash
# Cells without a price are on both sides of every limit in petl 1.7.30 (PyPI): in a column made of numbers by
# convertnumbers, an empty text is above every number and None below, so that selectgt of 5 gives the row with the empty
# cell and selectlt the one with None, and no error tells of it.
# Guess before the run: a TypeError, or neither row.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'petl==1.7.30'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import petl

table = petl.convertnumbers([["name", "price"], ["Tea", "2.5"], ["Pie", "10"], ["Cola", ""], ["Soup", None]])
for name, found in (("> 5", petl.selectgt(table, "price", 5)), ("< 5", petl.selectlt(table, "price", 5)), ("> 1000", petl.selectgt(table, "price", 1000)), ("sorted", petl.sort(table, "price"))):
    print(name, "->", " ".join(petl.values(found, "name")))
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
> 5 -> Pie Cola
< 5 -> Tea Soup
> 1000 -> Cola
sorted -> Soup Tea Pie Cola
SEEN
echo "seen as described"
