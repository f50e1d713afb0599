#!/usr/bin/env bash
# Python-statemachine 3.2.2 (PyPI) writes a condition of a transition as text; its signs "!", "^" and the word "v" stand for
# not, and, or. They are replaced between quotes too, so a dish named "M&M!", a size "v" or "salt ^ vinegar" is never equal to
# itself and always unequal, with no error; the words "and", "not" and the sign ">" between quotes stay as they are.
# Guess before the run: what is between quotes stays as it is, so each name is equal to itself.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check python-statemachine==3.2.2
cat >program.py <<'PROGRAM'
from statemachine import State, StateMachine
from statemachine.exceptions import TransitionNotAllowed


def taken(condition, name):
    class Order(StateMachine):
        placed = State(initial=True)
        accepted = State(final=True)
        accept = placed.to(accepted, cond=condition)
        dish = name

    try:
        Order().send("accept")
    except TransitionNotAllowed:
        return "not taken"
    return "taken"


for name in ("Mac and cheese", "not today", "5 > 4", "M&M!", "v", "salt ^ vinegar"):
    print(f"{name!r}: == {taken(f'dish == {name!r}', name)}, != {taken(f'dish != {name!r}', name)}")
PROGRAM
venv/bin/python program.py >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
'Mac and cheese': == taken, != not taken
'not today': == taken, != not taken
'5 > 4': == taken, != not taken
'M&M!': == not taken, != taken
'v': == not taken, != taken
'salt ^ vinegar': == not taken, != taken
SEEN
echo "seen as described"
