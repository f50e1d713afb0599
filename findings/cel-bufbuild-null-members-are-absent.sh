#!/usr/bin/env bash
# @bufbuild/cel 0.6.1 answers has(m.a) with false where m.a is present and null, and 'a' in m with false, although
# m.a == null is true. cel-expr-python 0.1.3 (cel-cpp) says true to all three.
# Guess before the run: true, true, true.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . @bufbuild/cel@0.6.1
cat >program.mjs <<'PROGRAM'
import { run } from "@bufbuild/cel";

for (const text of ["has({'a': null}.a)", "'a' in {'a': null}", "{'a': null}.a == null"]) console.log(text, run(text, {}));
PROGRAM
node program.mjs >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
has({'a': null}.a) false
'a' in {'a': null} false
{'a': null}.a == null true
SEEN
echo "seen as described"
