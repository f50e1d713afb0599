#!/usr/bin/env bash
# protobuf 7.36.2 (Python) reads a field of bytes leniently: characters that are no base64 are passed over, so a text of such
# characters alone is an empty value, and one with a blank inside is read.
# Guess before the run: what is no base64 is a ParseError, as a wrong padding is.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'protobuf==7.36.2'
venv/bin/python - >seen <<'PROGRAM'
from google.protobuf import json_format, wrappers_pb2

for text in ('"YQ=="', '"Y Q=="', '"\\u00e9"', '"!!"', '"Y"'):
    try:
        print(text, json_format.Parse(text, wrappers_pb2.BytesValue()).value)
    except json_format.ParseError:
        print(text, "refused")
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
"YQ==" b'a'
"Y Q==" b'a'
"\u00e9" b''
"!!" b''
"Y" refused
SEEN
echo "seen as described"
