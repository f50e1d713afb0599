#!/usr/bin/env bash
# numerizer 0.2.4 (PyPI) on words of orders: three quarter pounders are 3/4 pounders, five ninety nine is 599, half a burger
# is `1/2 1 burger`, and a year or a price of two pairs falls apart (nineteen ninety nine is `19 90 9`), while twenty one is
# 21.
# Guess before the run: three quarter pounders stay three, a price of 5.99 is `5 99`.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check numerizer==0.2.4
venv/bin/python - >seen <<'PROGRAM'
from numerizer import numerize

for words in ("three quarter pounders", "five ninety nine", "half a burger", "nineteen ninety nine", "twenty twenty six", "twenty one", "no one"):
    print(words, "|", numerize(words))
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
three quarter pounders | 3/4 pounders
five ninety nine | 599
half a burger | 1/2 1 burger
nineteen ninety nine | 19 90 9
twenty twenty six | 20 20 6
twenty one | 21
no one | no 1
SEEN
echo "seen as described"
