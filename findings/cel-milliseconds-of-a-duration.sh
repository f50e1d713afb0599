#!/usr/bin/env bash
# Milliseconds of a duration: cel-expr-python 0.1.3 answers 700 for duration('3.7s').getMilliseconds(), the part below a
# second; cel-python 0.5.0 and common-expression-language 0.10.0 answer 3700, the whole. getSeconds is the whole in all.
# Guess before the run: 3700 in all three.
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
for text in ("duration('3.7s').getMilliseconds()", "duration('63.7s').getSeconds()"):
    print(
        text,
        cel_cpp.NewEnv().compile(text).eval(data={}).value(),
        int(environment.program(environment.compile(text)).evaluate({})),
        cel.evaluate(text),
    )
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
duration('3.7s').getMilliseconds() 700 3700 3700
duration('63.7s').getSeconds() 63 63 63
SEEN
echo "seen as described"
