#!/usr/bin/env bash
# common-expression-language 0.10.0 (Rust): size() of a text counts the bytes of its UTF-8 form, so that size('Crème brûlée') is 15.
# cel-expr-python 0.1.3 (cel-cpp) and cel-python 0.5.0 count code points, 12, as the language definition says: a condition
# on the length of a name depends on the engine.
# Guess before the run: 12 in all three.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'cel-expr-python==0.1.3' 'cel-python==0.5.0' 'common-expression-language==0.10.0'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import cel as rust
import celpy
from cel_expr_python import cel

environment = celpy.Environment()
for text in ("size('Crème brûlée')", "'日本'.size()", "size('Crème brûlée') <= 12"):
    print(text)
    print("  Rust", rust.evaluate(text))
    print("  cel-python", environment.program(environment.compile(text)).evaluate({}))
    print("  cel-cpp", cel.NewEnv().compile(text).eval(data={}).value())
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
size('Crème brûlée')
  Rust 15
  cel-python 12
  cel-cpp 12
'日本'.size()
  Rust 6
  cel-python 2
  cel-cpp 2
size('Crème brûlée') <= 12
  Rust False
  cel-python True
  cel-cpp True
SEEN
echo "seen as described"
