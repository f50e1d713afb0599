#!/usr/bin/env bash
# @marcbachmann/cel-js 8.0.0: the size of a bytes literal counts characters, 1 for one letter of two bytes;
# @bufbuild/cel 0.6.1 says 2. int() of a double of 2^63 gives a number that no int64 can hold, where the other has an error.
# Guess before the run: 2 in both; an error in both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . @bufbuild/cel@0.6.1 @marcbachmann/cel-js@8.0.0
cat >program.mjs <<'PROGRAM'
import { run } from "@bufbuild/cel";
import { evaluate } from "@marcbachmann/cel-js";

const show = (value) => (value instanceof Error || (typeof value === "object" && value !== null) ? "error" : String(value));
for (const text of ["size(b'\u00e9')", "int(9223372036854775807.0)"]) console.log(text, show(run(text, {})), show(evaluate(text, {})));
PROGRAM
node program.mjs >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
size(b'é') 2 1
int(9223372036854775807.0) error 9223372036854775808
SEEN
echo "seen as described"
