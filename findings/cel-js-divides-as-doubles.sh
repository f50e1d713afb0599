#!/usr/bin/env bash
# cel-js 0.8.2 (npm; another package than @marcbachmann/cel-js): 7 / 2 is 3.5, 1u - 2u is -1, the escape in '\u00e9' stays as six
# characters, and 1 ? 2 : 3 is 2. @bufbuild/cel 0.6.1 answers 3, an error, one character, and an error.
# Guess before the run: 3, an error, one character, and an error in both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . cel-js@0.8.2 @bufbuild/cel@0.6.1
cat >program.mjs <<'PROGRAM'
import { evaluate } from "cel-js";
import { run } from "@bufbuild/cel";

for (const text of ["7 / 2", "7 / 2 == 3", "1u - 2u", "size('\\u00e9')", "1 ? 2 : 3"]) {
  const other = run(text, {});
  console.log(text, "| cel-js", evaluate(text), "| @bufbuild/cel", other instanceof Error || typeof other === "object" ? "error" : other);
}
PROGRAM
node program.mjs >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
7 / 2 | cel-js 3.5 | @bufbuild/cel 3n
7 / 2 == 3 | cel-js false | @bufbuild/cel true
1u - 2u | cel-js -1 | @bufbuild/cel error
size('\u00e9') | cel-js 6 | @bufbuild/cel 1n
1 ? 2 : 3 | cel-js 2 | @bufbuild/cel error
SEEN
echo "seen as described"
