#!/usr/bin/env bash
# z3-solver 5.4.1.0: z3.StringVal of a text of Python is not that text where it looks like an escape of SMT-LIB: the six
# characters of a backslash, u0041 are the one letter A. A character above U+2FFFF, which the sort lacks, becomes nine
# others, those of its own escape, without an error.
# Guess before the run: a value made from a text has its length, and a character that cannot be is refused.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'z3-solver==5.4.1.0'
venv/bin/python - >seen <<'PROGRAM'
import z3

for text in (r"\u0041", r"\u{41}", r"\x41", "\N{FRENCH FRIES}", "\U0003fffe"):
    value = z3.StringVal(text)
    print(ascii(text), "length", len(text), z3.simplify(z3.Length(value)), "is A:", z3.simplify(value == z3.StringVal("A")))
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
'\\u0041' length 6 1 is A: True
'\\u{41}' length 6 1 is A: True
'\\x41' length 4 4 is A: False
'\U0001f35f' length 1 1 is A: False
'\U0003fffe' length 1 9 is A: False
SEEN
echo "seen as described"
