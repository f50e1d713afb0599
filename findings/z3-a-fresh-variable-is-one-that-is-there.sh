#!/usr/bin/env bash
# z3-solver 5.4.1.0: FreshInt("k") answers k!0, also where a variable of that name is already in use, and then it is that variable;
# a variable that is named k!1 later is the next fresh one. What should be independent has one value, and no error says so.
# Guess before the run: a fresh variable is none that a name can give.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'z3-solver==5.4.1.0'
venv/bin/python - >seen <<'PROGRAM'
import z3

named = z3.Int("k!0")
fresh, another = z3.FreshInt("k"), z3.FreshInt("k")
print(fresh, another)
for words, variables in {
    "one named before, and the fresh one": (named, fresh),
    "the next fresh one, and one named after": (another, z3.Int("k!1")),
    "both fresh ones": (fresh, another),
}.items():
    solver = z3.Solver()
    solver.add(variables[0] == 1, variables[1] == 2)
    print(words, solver.check())
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
k!0 k!1
one named before, and the fresh one unsat
the next fresh one, and one named after unsat
both fresh ones sat
SEEN
echo "seen as described"
