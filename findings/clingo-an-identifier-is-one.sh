#!/usr/bin/env bash
# Rules over facts by clingo 5.8.3 (PyPI, answer set programming), which has integers of 32 bits: an id of 9007199254740993 in
# a fact is 1, a price of 3000000000 is -1294967296, and sums, powers and totals of an aggregate wrap around, all without a
# word. Two ids 2^32 apart are one.
# Guess before the run: sums wrap around, and a number in a text that does not fit is refused.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'clingo==5.8.3'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import clingo

PROGRAMS = (
    "id(9007199254740993).", "price(3000000000).", "total(T) :- T = 2000000000 + 2000000000.", "power(2**31).",
    "sold(coke, 2000000000). sold(tea, 2000000001). total(T) :- T = #sum{N : sold(D, N)}.", "id(4294967303). id(7).",
)
for program in PROGRAMS:
    messages = []
    control = clingo.Control(logger=lambda code, message: messages.append(message))
    control.add("base", [], program)
    control.ground([("base", [])])
    with control.solve(yield_=True) as answers:
        for model in answers:
            print(program, "->", *sorted(str(atom) for atom in model.symbols(shown=True)), *messages)
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
id(9007199254740993). -> id(1)
price(3000000000). -> price(-1294967296)
total(T) :- T = 2000000000 + 2000000000. -> total(-294967296)
power(2**31). -> power(-2147483648)
sold(coke, 2000000000). sold(tea, 2000000001). total(T) :- T = #sum{N : sold(D, N)}. -> sold(coke,2000000000) sold(tea,2000000001) total(-294967295)
id(4294967303). id(7). -> id(7)
SEEN
echo "seen as described"
