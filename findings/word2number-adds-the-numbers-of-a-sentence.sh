#!/usr/bin/env bash
# word2number 1.1 (PyPI) makes one number of a sentence and adds the numbers in it: two burgers and three cokes are 5,
# one twenty is 21, nineteen eighty four 1524; a sign is not read, and "hundred one" loses its one.
# Guess before the run: an error for a sentence with two numbers, and -2 for "minus two".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'word2number==1.1'
venv/bin/python - >seen <<'PROGRAM'
from word2number import w2n

for text in ("two burgers and three cokes", "one twenty", "nineteen eighty four", "hundred one", "minus two"):
    print(text, w2n.word_to_num(text))
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
two burgers and three cokes 5
one twenty 21
nineteen eighty four 1524
hundred one 100
minus two 2
SEEN
echo "seen as described"
