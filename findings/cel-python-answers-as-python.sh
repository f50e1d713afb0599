#!/usr/bin/env bash
# cel-python 0.5.0 lets Python show through: items[-1] is the last item, 'a' in 'abc' looks for a part of a text, true == 1 holds,
# and string(true) is 'True'. cel-expr-python 0.1.3 (cel-cpp) has an error for the first three and answers 'true'.
# Guess before the run: errors, and 'true'.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'cel-expr-python==0.1.3' 'cel-python==0.5.0'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import celpy
from cel_expr_python import cel

def cel_cpp(text):
    try:
        value = cel.NewEnv().compile(text).eval(data={}).value()
    except RuntimeError:
        return "does not compile"
    return "error" if isinstance(value, str) and "Index error" in value else value

def cel_python(text):
    environment = celpy.Environment()
    return environment.program(environment.compile(text)).evaluate({})

for text in ("[1, 2, 3][-1]", "'a' in 'abc'", "true == 1", "string(true)", "string(true) == 'true'"):
    print(text, "| cel-python", cel_python(text), "| cel-cpp", cel_cpp(text))
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
[1, 2, 3][-1] | cel-python 3 | cel-cpp error
'a' in 'abc' | cel-python True | cel-cpp does not compile
true == 1 | cel-python True | cel-cpp does not compile
string(true) | cel-python True | cel-cpp true
string(true) == 'true' | cel-python False | cel-cpp True
SEEN
echo "seen as described"
