#!/usr/bin/env bash
# Rapidfuzz 3.14.6 (PyPI), asked by extractOne for the nearest dish of a menu with Coke and Diet Coke: "coke" is Diet Coke, as
# a capital letter costs more in a short name, and "COKE" is Coke Zero. With default_process both are Coke. "7up" is Up with
# either, not 7 Up: a part scores 90, a blank too much less. An order said in small letters brings another drink.
# Guess before the run: "7up" is 7 Up, with default_process too. Of "coke" without it none was written.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check rapidfuzz==3.14.6
cat >program.py <<'PROGRAM'
from rapidfuzz import process, utils

MENU = ("Coke", "Diet Coke", "Coke Zero 0.5 l", "7 Up", "Up", "M&M's", "No sugar cola")
for said in ("coke", "7up", "m and ms", "diet", "COKE"):
    answers = []
    for processor in (None, utils.default_process):
        dish, score, _ = process.extractOne(said, MENU, processor=processor)
        answers.append(f"{dish} ({score:.1f})")
    print(f"{said} -> {answers[0]} | with default_process {answers[1]}")
PROGRAM
venv/bin/python program.py >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
coke -> Diet Coke (77.1) | with default_process Coke (100.0)
7up -> Up (60.0) | with default_process Up (90.0)
m and ms -> No sugar cola (34.2) | with default_process M&M's (85.5)
diet -> Diet Coke (73.3) | with default_process Diet Coke (90.0)
COKE -> Coke Zero 0.5 l (36.0) | with default_process Coke (100.0)
SEEN
echo "seen as described"
