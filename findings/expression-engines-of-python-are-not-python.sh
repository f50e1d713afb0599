#!/usr/bin/env bash
# Conditions that look like Python, in libraries that evaluate them for rules: rule-engine 5.1.0 counts in decimals (a third of
# one, three times, is not one; a remainder has the sign of the first number; powers go from the left), py-expression-eval
# 0.3.14 goes from the left too and compares 3 > 2 > 1 as true > 1, and for cexprtk 0.4.2 // begins a comment, so 5 // 2 is 5.
# simpleeval 1.0.8 and asteval 1.0.10 answer as Python.
# Guess before the run: where the form is Python's, so is the answer.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check rule-engine==5.1.0 py-expression-eval==0.3.14 cexprtk==0.4.2 simpleeval==1.0.8 asteval==1.0.10
venv/bin/python - >seen 2>/dev/null <<'PROGRAM'
import asteval
import cexprtk
import py_expression_eval
import rule_engine
import simpleeval

engines = {
    "rule-engine": lambda text: rule_engine.Rule(text).evaluate({}),
    "py-expression-eval": lambda text: py_expression_eval.Parser().parse(text).evaluate({}),
    "cexprtk": lambda text: cexprtk.evaluate_expression(text, {}),
    "simpleeval": simpleeval.simple_eval,
    "asteval": asteval.Interpreter(),
}
for text in ("1 / 3 * 3 == 1", "0.1 + 0.2 == 0.3", "-7 % 3", "2 ** 3 ** 2", "3 > 2 > 1", "5 // 2"):
    answers = []
    for name, evaluate in engines.items():
        try:
            answers.append(f"{name} {evaluate(text)}")
        except Exception:
            answers.append(f"{name} error")
    print(text, *answers, sep=" | ")
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
1 / 3 * 3 == 1 | rule-engine False | py-expression-eval True | cexprtk 1.0 | simpleeval True | asteval True
0.1 + 0.2 == 0.3 | rule-engine True | py-expression-eval False | cexprtk 0.0 | simpleeval False | asteval False
-7 % 3 | rule-engine -1 | py-expression-eval -1 | cexprtk -1.0 | simpleeval 2 | asteval 2
2 ** 3 ** 2 | rule-engine 64 | py-expression-eval 64 | cexprtk error | simpleeval 512 | asteval 512
3 > 2 > 1 | rule-engine error | py-expression-eval False | cexprtk 0.0 | simpleeval True | asteval True
5 // 2 | rule-engine 2 | py-expression-eval error | cexprtk 5.0 | simpleeval 2 | asteval 2
SEEN
echo "seen as described"
