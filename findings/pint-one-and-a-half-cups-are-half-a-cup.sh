#!/usr/bin/env bash
# Pint 0.25.3 reads "1 1/2 cups" as half a cup and "2 1/2 lb" as one pound: a blank multiplies, so a mixed number is the product
# of its parts. "1 lb 4 oz" is four ounce-pounds. A comma is taken out: "1,5 l" is 15 litres. No error names any of them.
# Guess before the run: 1.5 and 2.5, or an error; 1.5 litres or an error.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check Pint==0.25.3
venv/bin/python - >seen <<'PROGRAM'
import pint

units = pint.UnitRegistry()
for text in ("1 1/2 cups", "2 1/2 lb", "1 lb 4 oz", "1,5 l"):
    print(text, "|", units(text))
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
1 1/2 cups | 0.5 cup
2 1/2 lb | 1.0 pound
1 lb 4 oz | 4 ounce * pound
1,5 l | 15 liter
SEEN
echo "seen as described"
