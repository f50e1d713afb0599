#!/usr/bin/env bash
# cvc5 1.4.2, by cvc5.pythonic, which has the functions of z3 for Python: an integer compared with 2.7 is compared with 2, so that
# no integer is above 1 and below 2.7, and one is 2.5. z3-solver 5.4.1.0 compares reals. Fractions given as reals are exact in both.
# Guess before the run: one program, two solvers, one answer.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'z3-solver==5.4.1.0' 'cvc5==1.4.2'
venv/bin/python - >seen <<'PROGRAM'
import importlib

for name in ("z3", "cvc5.pythonic"):
    solvers = importlib.import_module(name)
    count = solvers.Int("count")
    questions = {
        "above 1 and below 2.7": [count > 1, count < 2.7],
        "equal to 2.5": [count == 2.5],
        "above 1 and below a real 2.7": [count > 1, solvers.ToReal(count) < 2.7],
    }
    for words, constraints in questions.items():
        solver = solvers.Solver()
        solver.add(*constraints)
        print(name, words, solver.check())
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
z3 above 1 and below 2.7 sat
z3 equal to 2.5 unsat
z3 above 1 and below a real 2.7 sat
cvc5.pythonic above 1 and below 2.7 unsat
cvc5.pythonic equal to 2.5 sat
cvc5.pythonic above 1 and below a real 2.7 sat
SEEN
echo "seen as described"
