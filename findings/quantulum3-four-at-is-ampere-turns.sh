#!/usr/bin/env bash
# quantulum3 0.10.0 (PyPI) takes the "at" of a sentence for the unit of a number: "a party of four at 7pm" has four
# ampere-turns and no time, while "a party of four, 7pm" has neither. A comma ends a number: 1,5 litre are a 1 and 5
# litres.
# Guess before the run: 4 without a unit, then a time or a 7; and 1.5 or 15 litres.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'quantulum3==0.10.0'
venv/bin/python - >seen <<'PROGRAM'
from quantulum3 import parser

for text in ("a party of four at 7pm", "a party of four, 7pm", "two burgers at noon", "1,5 litre of coke", "$2-3"):
    print(text, [(quantity.value, quantity.unit.name) for quantity in parser.parse(text)])
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
a party of four at 7pm [(4.0, 'ampere-turn')]
a party of four, 7pm [(4.0, 'dimensionless')]
two burgers at noon [(2.0, 'dimensionless')]
1,5 litre of coke [(1.0, 'dimensionless'), (5.0, 'litre')]
$2-3 [(2.5, 'dollar')]
SEEN
echo "seen as described"
