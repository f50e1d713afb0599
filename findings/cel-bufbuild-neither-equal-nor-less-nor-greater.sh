#!/usr/bin/env bash
# @bufbuild/cel 0.6.1: of 9007199254740993 and 9007199254740992.0 neither is equal to the other, nor less, nor greater,
# yet >= and <= hold. @marcbachmann/cel-js 8.0.0 says greater, as the numbers are.
# Guess before the run: greater in both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . @bufbuild/cel@0.6.1 @marcbachmann/cel-js@8.0.0
cat >program.mjs <<'PROGRAM'
import { run } from "@bufbuild/cel";
import { evaluate } from "@marcbachmann/cel-js";

for (const operator of ["==", "<", ">", "<=", ">="]) {
  const text = `dyn(9007199254740993) ${operator} dyn(9007199254740992.0)`;
  console.log(operator, run(text, {}), evaluate(text, {}));
}
PROGRAM
node program.mjs >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
== false false
< false false
> false true
<= true false
>= true true
SEEN
echo "seen as described"
