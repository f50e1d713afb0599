#!/usr/bin/env bash
# One name for each item of many spellings, skrub 0.11.0 (PyPI): deduplicate replaces "diet coke" by "diet cok", which was
# there as often, and "coke zero" by "coke"; fuzzy_join pairs "Diet Coke" with "Coke" where "Diet Cola" is there, and
# "Fries" with "Onion Rings", for without a limit every row gets a partner.
# Guess before the run: the usual spelling wins, and a coke zero stays one.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'skrub==0.11.0' 'pandas==3.1.1'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import warnings

import pandas
import skrub

warnings.simplefilter("ignore")
for name, other in skrub.deduplicate(["diet coke", "coke", "coke", "diet cok", "coke zero", "coke"]).drop_duplicates().items():
    print(name, "->", other)
mine, theirs = pandas.DataFrame({"mine": ["Diet Coke", "Fries"]}), pandas.DataFrame({"theirs": ["Coke", "Diet Cola", "Onion Rings"]})
for row in skrub.fuzzy_join(mine, theirs, left_on="mine", right_on="theirs").itertuples(index=False):
    print(*row, sep=" = ")
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
diet coke -> diet cok
coke -> coke
Diet Coke = Coke
Fries = Onion Rings
SEEN
echo "seen as described"
