#!/usr/bin/env bash
# z3-solver 5.4.1.0: z3.IntVal(2.7) is 2, while z3.IntVal("2.7") is an error, and comparing an integer with 2.7 compares
# reals. One bound written in two ways gives two answers.
# Guess before the run: a number that is no integer is refused by IntVal however it is given.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'z3-solver==5.4.1.0'
venv/bin/python - >seen <<'PROGRAM'
import z3

count = z3.Int("count")
print("IntVal(2.7) is", z3.IntVal(2.7))
try:
    z3.IntVal("2.7")
except z3.Z3Exception:
    print("IntVal of the text is refused")
for name, bound in (("2.7", 2.7), ("IntVal(2.7)", z3.IntVal(2.7))):
    solver = z3.Solver()
    solver.add(count >= 2, count < bound)
    print("an integer of 2 or more and less than", name, solver.check())
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
IntVal(2.7) is 2
IntVal of the text is refused
an integer of 2 or more and less than 2.7 sat
an integer of 2 or more and less than IntVal(2.7) unsat
SEEN
echo "seen as described"
