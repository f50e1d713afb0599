#!/usr/bin/env bash
# @cdktf/hcl2json 0.21.0 (npm; HashiCorp's own parser as WebAssembly) answers in JSON that JavaScript reads: 1e400, which is a
# number of HCL, is null, as an argument that is absent; of an integer beyond 2^53 the last digits are gone, and 1.50 is 1.5.
# Guess before the run: numbers that a double cannot hold come as text, as other expressions do.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . @cdktf/hcl2json@0.21.0
cat >program.js <<'PROGRAM'
const { parse } = require("@cdktf/hcl2json");
const values = ["1e400", "null", "9007199254740993", "12345678901234567890", "1.50", "1 + 1"];
(async () => {
  for (const value of values) console.log(value, JSON.stringify(await parse("main.tf", `size = ${value}\n`)));
})();
PROGRAM
node program.js >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
1e400 {"size":null}
null {"size":null}
9007199254740993 {"size":9007199254740992}
12345678901234567890 {"size":12345678901234567000}
1.50 {"size":1.5}
1 + 1 {"size":"${1 + 1}"}
SEEN
echo "seen as described"
