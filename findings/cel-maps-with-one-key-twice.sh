#!/usr/bin/env bash
# A map literal with one key twice, {'a': 1, 'a': 2}: common-expression-language 0.10.0 (Rust) and @marcbachmann/cel-js 8.0.0 keep
# the last value. cel-expr-python 0.1.3 (cel-cpp), cel-python 0.5.0 and @bufbuild/cel 0.6.1 have an error.
# Guess before the run: an error in all.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'cel-expr-python==0.1.3' 'cel-python==0.5.0' 'common-expression-language==0.10.0'
npm install --silent --no-audit --no-fund --prefix . @bufbuild/cel@0.6.1 @marcbachmann/cel-js@8.0.0
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import cel as rust
import celpy
from cel_expr_python import cel

text = "{'a': 1, 'a': 2}['a']"

def cel_cpp():
    value = cel.NewEnv().compile(text).eval(data={}).value()
    return value if isinstance(value, int) else "error"

def cel_python():
    environment = celpy.Environment()
    return environment.program(environment.compile(text)).evaluate({})

for name, read in {"cel-cpp": cel_cpp, "cel-python": cel_python, "Rust": lambda: rust.evaluate(text)}.items():
    try:
        print(name, read())
    except (celpy.CELEvalError, RuntimeError):
        print(name, "error")
PROGRAM
cat >program.mjs <<'PROGRAM'
import { run } from "@bufbuild/cel";
import { evaluate } from "@marcbachmann/cel-js";

const text = "{'a': 1, 'a': 2}['a']";
const value = run(text, {});
console.log("@bufbuild/cel", typeof value === "bigint" ? value : "error");
console.log("@marcbachmann/cel-js", evaluate(text, {}));
PROGRAM
node program.mjs >>seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
cel-cpp error
cel-python error
Rust 2
@bufbuild/cel error
@marcbachmann/cel-js 2n
SEEN
echo "seen as described"
