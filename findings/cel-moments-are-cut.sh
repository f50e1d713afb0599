#!/usr/bin/env bash
# Moments less than a millisecond apart are equal to @marcbachmann/cel-js 8.0.0, and those less than a microsecond apart to
# cel-python 0.5.0, which also cuts duration('100ns') to nothing; @bufbuild/cel 0.6.1 and cel-expr-python 0.1.3 (cel-cpp) keep
# nanoseconds. int() of a moment half a second before 1970 is 0 to cel-python, -1 to cel-cpp.
# Guess before the run: nanoseconds in all.
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

environment = celpy.Environment()
for text in (
    "timestamp('2026-11-28T10:00:00.0009Z') > timestamp('2026-11-28T10:00:00Z')",
    "timestamp('2026-11-28T10:00:00.0000009Z') > timestamp('2026-11-28T10:00:00Z')",
    "duration('100ns') > duration('0s')",
    "int(timestamp('1969-12-31T23:59:59.500Z'))",
):
    answer = environment.program(environment.compile(text)).evaluate({})
    print(text, "| cel-python", answer, "| cel-cpp", cel.NewEnv().compile(text).eval(data={}).value())
PROGRAM
cat >program.mjs <<'PROGRAM'
import { run } from "@bufbuild/cel";
import { evaluate } from "@marcbachmann/cel-js";

for (const text of [
  "timestamp('2026-11-28T10:00:00.0009Z') > timestamp('2026-11-28T10:00:00Z')",
  "timestamp('2026-11-28T10:00:00.0000009Z') > timestamp('2026-11-28T10:00:00Z')",
]) {
  console.log(text, "| @bufbuild/cel", run(text, {}), "| @marcbachmann/cel-js", evaluate(text, {}));
}
PROGRAM
node program.mjs >>seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
timestamp('2026-11-28T10:00:00.0009Z') > timestamp('2026-11-28T10:00:00Z') | cel-python True | cel-cpp True
timestamp('2026-11-28T10:00:00.0000009Z') > timestamp('2026-11-28T10:00:00Z') | cel-python False | cel-cpp True
duration('100ns') > duration('0s') | cel-python False | cel-cpp True
int(timestamp('1969-12-31T23:59:59.500Z')) | cel-python 0 | cel-cpp -1
timestamp('2026-11-28T10:00:00.0009Z') > timestamp('2026-11-28T10:00:00Z') | @bufbuild/cel true | @marcbachmann/cel-js false
timestamp('2026-11-28T10:00:00.0000009Z') > timestamp('2026-11-28T10:00:00Z') | @bufbuild/cel true | @marcbachmann/cel-js false
SEEN
echo "seen as described"
