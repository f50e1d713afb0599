#!/usr/bin/env bash
# hcl2-parser 1.0.3 (npm) writes a reference and a text that only looks like one as the same JSON: "${var.x}" and
# "$${var.x}" are both ${var.x}. An error is an empty object without a message, and a number of twenty digits is
# rounded.
# Guess before the run: the two stay apart, and an error has a message.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . hcl2-parser@1.0.3
cat >program.mjs <<'PROGRAM'
import hcl from "hcl2-parser";

for (const text of ['a = "${var.x}"', 'a = "$${var.x}"', "a = 12345678901234567890", "a = 1\na = 2"]) {
  console.log(JSON.stringify(text), JSON.stringify(hcl.parseToObject(text + "\n")));
}
PROGRAM
node program.mjs >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
"a = \"${var.x}\"" [{"a":"${var.x}"},null]
"a = \"$${var.x}\"" [{"a":"${var.x}"},null]
"a = 12345678901234567890" [{"a":12345678901234567000},null]
"a = 1\na = 2" [null,{}]
SEEN
echo "seen as described"
