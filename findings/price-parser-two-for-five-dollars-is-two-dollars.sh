#!/usr/bin/env bash
# price-parser 0.5.1 finds the currency of a text anywhere and its amount in the first number: "2 for $5", as menus have
# it, is two dollars, and "12 oz $3.50" twelve, although the sign stands at the other number. "from $5 to $7" is 5.
# Guess before the run: the amount is the number at the currency's sign, 5 and 3.50.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'price-parser==0.5.1'
venv/bin/python - >seen <<'PROGRAM'
from price_parser import Price

for text in ("2 for $5", "12 oz $3.50", "from $5 to $7"):
    price = Price.fromstring(text)
    print(text, "|", price.amount, price.currency)
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
2 for $5 | 2 $
12 oz $3.50 | 12 $
from $5 to $7 | 5 $
SEEN
echo "seen as described"
