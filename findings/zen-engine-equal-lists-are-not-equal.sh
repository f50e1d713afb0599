#!/usr/bin/env bash
# Two equal lists are not equal in the expressions of zen-engine 2.1.3 (PyPI) and @gorules/zen-engine 0.54.0 (npm),
# texts have no order, len of a text counts its bytes, and 1 / 0 is null, without an error. Decimals are exact inside,
# so that 0.1 * 3 == 0.3 is true, but a third comes out of both bindings with another last digit, and 9007199254740993
# as an even number.
# Guess before the run: equal, an order of code points, 4, an error, and one third.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'zen-engine==2.1.3'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import zen

for text in ("[1, 2] == [1, 2]", "len('Caf\u00e9')", "1 / 0", "0.1 * 3 == 0.3", "1 / 3", "9007199254740993"):
    value = zen.evaluate_expression(text)
    print("python", text.encode("ascii", "backslashreplace").decode(), "->", int(value) if value == 2**53 else value)
try:
    zen.evaluate_expression("'b' > 'a'")
except RuntimeError:
    print("python 'b' > 'a' -> error")
PROGRAM
npm install --silent --no-audit --no-fund --prefix . @gorules/zen-engine@0.54.0
cat >program.mjs <<'PROGRAM'
import zen from "@gorules/zen-engine";

for (const text of ["[1, 2] == [1, 2]", "1 / 0", "0.1 * 3 == 0.3", "1 / 3", "9007199254740993"]) {
  console.log("javascript", text, "->", await zen.evaluateExpression(text, {}));
}
PROGRAM
node program.mjs >>seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
python [1, 2] == [1, 2] -> False
python len('Caf\xe9') -> 5.0
python 1 / 0 -> None
python 0.1 * 3 == 0.3 -> True
python 1 / 3 -> 0.33333333333333337
python 9007199254740993 -> 9007199254740992
python 'b' > 'a' -> error
javascript [1, 2] == [1, 2] -> false
javascript 1 / 0 -> null
javascript 0.1 * 3 == 0.3 -> true
javascript 1 / 3 -> 0.3333333333333333
javascript 9007199254740993 -> 9007199254740992
SEEN
echo "seen as described"
