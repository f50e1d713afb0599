#!/usr/bin/env bash
# z3-solver 5.4.1.0 writes the sum of one number, z3.Sum([x]), as (+ x) into SMT-LIB, the language that solvers exchange;
# cvc5 1.4.2 refuses the file, while z3 reads it. A sum over a list works in both until the list has one element.
# Guess before the run: the sum of one number is that number, and what one solver writes the other reads.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'z3-solver==5.4.1.0' 'cvc5==1.4.2'
venv/bin/python - >seen <<'PROGRAM'
import cvc5, z3

for size in (1, 2):
    solver = z3.Solver()
    solver.add(z3.Sum([z3.Int(f"x{number}") for number in range(size)]) > 2)
    text = "(set-logic ALL)\n" + solver.to_smt2()
    print([line for line in text.splitlines() if "assert" in line or "(+" in line])
    other = cvc5.Solver()
    parser = cvc5.InputParser(other)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "sum.smt2")
    symbols = parser.getSymbolManager()
    try:
        while not (command := parser.nextCommand()).isNull():
            command.invoke(other, symbols)
        print(size, "cvc5 reads it")
    except RuntimeError as error:
        print(size, "cvc5 refuses it:", "at least 2 children" in str(error))
    again = z3.Solver()
    again.from_string(text)
    print(size, "z3 reads it:", again.check())
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
['(assert', ' (> (+ x0) 2))']
1 cvc5 refuses it: True
1 z3 reads it: sat
['(assert', ' (let ((?x36 (+ x0 x1)))']
2 cvc5 reads it
2 z3 reads it: sat
SEEN
echo "seen as described"
