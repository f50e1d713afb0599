#!/usr/bin/env bash
# int() of a text: ' 5 ' is 5 to cel-expr-python 0.1.3 (cel-cpp), cel-python 0.5.0 and @bufbuild/cel 0.6.1, '0x10' is 16 to
# cel-python and @bufbuild/cel, and '1_000' is 1000 to cel-python, which reads as Python does. common-expression-language 0.10.0
# (Rust) and @marcbachmann/cel-js 8.0.0 have an error for each.
# Guess before the run: an error for each in all.
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

def cel_cpp(text):
    value = cel.NewEnv().compile(text).eval(data={}).value()
    return value if isinstance(value, int) else "error"

def cel_python(text):
    environment = celpy.Environment()
    return environment.program(environment.compile(text)).evaluate({})

for text in ("int(' 5 ')", "int('0x10')", "int('1_000')"):
    for name, read in {"cel-cpp": cel_cpp, "cel-python": cel_python, "Rust": rust.evaluate}.items():
        try:
            print(text, name, read(text))
        except (celpy.CELEvalError, RuntimeError):
            print(text, name, "error")
PROGRAM
cat >program.mjs <<'PROGRAM'
import { run } from "@bufbuild/cel";
import { evaluate } from "@marcbachmann/cel-js";

const attempt = (read) => {
  try {
    const value = read();
    return typeof value === "bigint" ? value : "error";
  } catch {
    return "error";
  }
};
for (const text of ["int(' 5 ')", "int('0x10')", "int('1_000')"]) {
  console.log(text, "@bufbuild/cel", attempt(() => run(text, {})));
  console.log(text, "@marcbachmann/cel-js", attempt(() => evaluate(text, {})));
}
PROGRAM
node program.mjs >>seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
int(' 5 ') cel-cpp 5
int(' 5 ') cel-python 5
int(' 5 ') Rust error
int('0x10') cel-cpp error
int('0x10') cel-python 16
int('0x10') Rust error
int('1_000') cel-cpp error
int('1_000') cel-python 1000
int('1_000') Rust error
int(' 5 ') @bufbuild/cel 5n
int(' 5 ') @marcbachmann/cel-js error
int('0x10') @bufbuild/cel 16n
int('0x10') @marcbachmann/cel-js error
int('1_000') @bufbuild/cel error
int('1_000') @marcbachmann/cel-js error
SEEN
echo "seen as described"
