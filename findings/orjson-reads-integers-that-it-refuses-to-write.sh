#!/usr/bin/env bash
# orjson 3.13.0 reads an integer of 2^64 and more, and one below -2^63, as a float without a word, so its last digits are
# gone; written, the same integer is refused. msgspec 0.22.0 and the standard library keep every digit.
# Guess before the run: what cannot be written is refused when it is read.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'orjson==3.13.0' 'msgspec==0.22.0'
venv/bin/python - >seen <<'PROGRAM'
import json, msgspec, orjson

text = "18446744073709551617"
print("json", repr(json.loads(text)))
print("msgspec", repr(msgspec.json.decode(text)))
print("orjson", repr(orjson.loads(text)), repr(orjson.loads("-9223372036854775809")))
try:
    orjson.dumps(2**64)
except TypeError as error:
    print("orjson writes", error)
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
json 18446744073709551617
msgspec 18446744073709551617
orjson 1.8446744073709552e+19 -9.223372036854776e+18
orjson writes Integer exceeds 64-bit range
SEEN
echo "seen as described"
