#!/usr/bin/env bash
# z3-solver 5.4.1.0: an integer and a real of one name are two variables, and are solved as two, but written as SMT-LIB under one
# name: z3 calls its own text ambiguous, and cvc5 1.4.2 refuses it too. With two names both read it.
# Guess before the run: a second sort under one name is an error at once, or what is written can be read again.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'z3-solver==5.4.1.0' 'cvc5==1.4.2'
venv/bin/python - >seen <<'PROGRAM'
import cvc5
import z3


def by_z3(text):
    solver = z3.Solver()
    try:
        solver.from_string(text)
    except z3.Z3Exception as error:
        return "ambiguous" if "ambiguous" in str(error) else "refused"
    return solver.check()


def by_cvc5(text):
    solver = cvc5.Solver()
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, "(set-logic ALL)\n" + text, "text")
    answers = []
    try:
        while not (command := parser.nextCommand()).isNull():
            answers.append(command.invoke(solver, parser.getSymbolManager()).strip())
    except RuntimeError:
        return "refused"
    return answers[-1]


for first, second in [("price", "price"), ("count", "price")]:
    solver = z3.Solver()
    solver.add(z3.Int(first) == 1, z3.Real(second) > 2.5)
    text = solver.to_smt2()
    print(first, second, "| solved", solver.check(), "| read by z3", by_z3(text), "| by cvc5", by_cvc5(text))
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
price price | solved sat | read by z3 ambiguous | by cvc5 refused
count price | solved sat | read by z3 sat | by cvc5 sat
SEEN
echo "seen as described"
