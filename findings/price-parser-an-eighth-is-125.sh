#!/usr/bin/env bash
# price-parser 0.5.1 takes a point before three digits for one between thousands, also where a zero stands in front of it:
# 0.125 is 125, and $0.999 is 999. With two digits or four behind the point it is a decimal point.
# Guess before the run: 1.234 may be either, but nobody writes thousands with a zero in front, so 0.125 is an eighth.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'price-parser==0.5.1'
venv/bin/python - >seen <<'PROGRAM'
from price_parser import Price

for text in ("0.12", "0.125", "0.1250", "$0.999", "1.234"):
    print(text, Price.fromstring(text).amount)
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
0.12 0.12
0.125 125
0.1250 0.1250
$0.999 999
1.234 1234
SEEN
echo "seen as described"
