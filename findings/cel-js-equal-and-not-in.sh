#!/usr/bin/env bash
# @marcbachmann/cel-js 8.0.0: an unsigned 1 equals the integer 1, but is not "in" a list that holds it; the double 1.0 is.
# @bufbuild/cel 0.6.1 says true to all.
# Guess before the run: true, true, true in both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . @bufbuild/cel@0.6.1 @marcbachmann/cel-js@8.0.0
cat >program.mjs <<'PROGRAM'
import { run } from "@bufbuild/cel";
import { evaluate } from "@marcbachmann/cel-js";

for (const text of ["dyn(1u) == dyn(1)", "dyn(1u) in [dyn(1)]", "dyn(1) in [1.0]"]) console.log(text, run(text, {}), evaluate(text, {}));
PROGRAM
node program.mjs >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
dyn(1u) == dyn(1) true true
dyn(1u) in [dyn(1)] true false
dyn(1) in [1.0] true true
SEEN
echo "seen as described"
