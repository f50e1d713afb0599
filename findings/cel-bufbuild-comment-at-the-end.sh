#!/usr/bin/env bash
# @bufbuild/cel 0.6.1 cannot parse a condition that ends in a comment without a line break behind it, as a YAML value of one
# line does; with a line break it can. cel-expr-python 0.1.3 (cel-cpp), cel-python 0.5.0 and @marcbachmann/cel-js 8.0.0 take both.
# Guess before the run: taken by all.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'cel-expr-python==0.1.3' 'cel-python==0.5.0'
npm install --silent --no-audit --no-fund --prefix . @bufbuild/cel@0.6.1 @marcbachmann/cel-js@8.0.0
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import celpy
from cel_expr_python import cel

def cel_cpp(text):
    return cel.NewEnv().compile(text).eval(data={}).value()

def cel_python(text):
    environment = celpy.Environment()
    return int(environment.program(environment.compile(text)).evaluate({}))

for text in ("1 + 1 // the rest", "1 + 1 // the rest\n", "// first\n1 + 1"):
    print(repr(text), cel_cpp(text), cel_python(text))
PROGRAM
cat >program.mjs <<'PROGRAM'
import { run } from "@bufbuild/cel";
import { evaluate } from "@marcbachmann/cel-js";

for (const text of ["1 + 1 // the rest", "1 + 1 // the rest\n", "// first\n1 + 1"]) {
  const value = run(text, {});
  console.log(JSON.stringify(text), typeof value === "bigint" ? value : String(value), evaluate(text, {}));
}
PROGRAM
node program.mjs >>seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
'1 + 1 // the rest' 2 2
'1 + 1 // the rest\n' 2 2
'// first\n1 + 1' 2 2
"1 + 1 // the rest" Error: <input>:1:7: found / but expecting end of input 2n
"1 + 1 // the rest\n" 2n 2n
"// first\n1 + 1" 2n 2n
SEEN
echo "seen as described"
