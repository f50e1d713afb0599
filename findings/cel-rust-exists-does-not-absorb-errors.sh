#!/usr/bin/env bash
# common-expression-language 0.10.0 (Rust): an error beside "true" is absorbed by || , but not by exists(), which is
# the same "or" over a list: the macro raises although a later item makes it true. cel-expr-python 0.1.3 and cel-python
# 0.5.0 answer true to both.
# Guess before the run: an error for both in the first, true for both in the others.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'cel-expr-python==0.1.3' 'cel-python==0.5.0' 'common-expression-language==0.10.0'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import cel, celpy
from cel_expr_python import cel as cel_cpp

environment = celpy.Environment()
for text in ("1 / 0 > 0 || true", "[0, 2].exists(x, 1 / x == 0)"):
    try:
        third = cel.evaluate(text)
    except ZeroDivisionError as error:
        third = type(error).__name__
    second = bool(environment.program(environment.compile(text)).evaluate({}))
    print(text, "|", cel_cpp.NewEnv().compile(text).eval(data={}).value(), second, third)
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
1 / 0 > 0 || true | True True True
[0, 2].exists(x, 1 / x == 0) | True True ZeroDivisionError
SEEN
echo "seen as described"
