#!/usr/bin/env bash
# An integer above 2^53 compared with a double: cel-expr-python 0.1.3 and common-expression-language 0.10.0 convert the
# integer to a double first, so that 9007199254740993 equals 9007199254740992.0. The engines of npm compare exactly.
# The comparison of ids that went through JSON numbers depends on the engine.
# Guess before the run: not equal, and greater, as the language definition's one line of numbers says.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'cel-expr-python==0.1.3' 'common-expression-language==0.10.0'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import cel
from cel_expr_python import cel as cel_cpp

for operator in ("==", "<", ">", ">="):
    text = f"dyn(9007199254740993) {operator} dyn(9007199254740992.0)"
    print(operator, cel_cpp.NewEnv().compile(text).eval(data={}).value(), cel.evaluate(text))
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
== True True
< False False
> False False
>= True True
SEEN
echo "seen as described"
