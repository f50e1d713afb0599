#!/usr/bin/env bash
# hjson 3.1.0 (PyPI) reads a file of one line that it cannot read as an object as one text, without an error: a comma too
# many, or a brace that is not closed, and the settings are a str. A file of two lines with the same fault is an error.
# Guess before the run: an error that names the line.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check hjson==3.1.0
venv/bin/python - >seen <<'PROGRAM'
import hjson

for text in ("price: 19.99\n", "price: 19.99, x\n", "burger: {price: 19.99\n", "# prices\nprice: 1, x\n", "price: 19.99, x\nname: Fries\n"):
    try:
        print(repr(text), repr(hjson.loads(text)))
    except hjson.HjsonDecodeError as error:
        print(repr(text), type(error).__name__)
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
'price: 19.99\n' OrderedDict([('price', 19.99)])
'price: 19.99, x\n' 'price: 19.99, x'
'burger: {price: 19.99\n' 'burger: {price: 19.99'
'# prices\nprice: 1, x\n' 'price: 1, x'
'price: 19.99, x\nname: Fries\n' HjsonDecodeError
SEEN
echo "seen as described"
