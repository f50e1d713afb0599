#!/usr/bin/env bash
# common-expression-language 0.10.0 (Rust) knows int(), string(), timestamp(), matches() and getHours(), but not in every form of
# the standard: int() of a moment, string() of a boolean, timestamp() of seconds, matches() as a plain function and getHours()
# with a time zone end in "Undefined variable or function", as does bool(). cel-expr-python 0.1.3 (cel-cpp) has all of them.
# Guess before the run: all of them in both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'cel-expr-python==0.1.3' 'common-expression-language==0.10.0'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import cel as rust
from cel_expr_python import cel

for text in (
    "int(timestamp('2026-11-28T10:00:00Z'))",
    "string(true)",
    "timestamp(0) == timestamp('1970-01-01T00:00:00Z')",
    "matches('abc', 'b')",
    "timestamp('2026-11-28T10:00:00Z').getHours('America/New_York')",
    "bool('true')",
):
    try:
        seen = rust.evaluate(text)
    except RuntimeError as error:
        seen = str(error).split(":")[0]
    print(text, "| Rust", seen, "| cel-cpp", cel.NewEnv().compile(text).eval(data={}).value())
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
int(timestamp('2026-11-28T10:00:00Z')) | Rust Undefined variable or function | cel-cpp 1795860000
string(true) | Rust Undefined variable or function | cel-cpp true
timestamp(0) == timestamp('1970-01-01T00:00:00Z') | Rust Undefined variable or function | cel-cpp True
matches('abc', 'b') | Rust Undefined variable or function | cel-cpp True
timestamp('2026-11-28T10:00:00Z').getHours('America/New_York') | Rust Undefined variable or function | cel-cpp 5
bool('true') | Rust Undefined variable or function | cel-cpp True
SEEN
echo "seen as described"
