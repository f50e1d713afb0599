#!/usr/bin/env bash
# Spoken orders by text2num 3.1.0 (PyPI): alpha2digit leaves numbers up to three as words when they stand alone, so "two for
# ten" becomes "two for 10" and a burger stays "two burgers" where "six burgers" becomes 6; "zero five" is 05, "one oh five"
# is "one oh 5", and "minus two" loses nothing but stays in words.
# Guess before the run: "2 for 10", "2 burgers" and "-2".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'text2num==3.1.0'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
from text_to_num import alpha2digit

for text in ("two for ten", "two burgers", "six burgers", "twenty twenty", "one oh five", "zero five", "minus two", "minus twelve", "one hundred and twenty and five", "seven up"):
    print(text, "->", alpha2digit(text, "en"))
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
two for ten -> two for 10
two burgers -> two burgers
six burgers -> 6 burgers
twenty twenty -> 20 20
one oh five -> one oh 5
zero five -> 05
minus two -> minus two
minus twelve -> minus 12
one hundred and twenty and five -> 125
seven up -> 7 up
SEEN
echo "seen as described"
