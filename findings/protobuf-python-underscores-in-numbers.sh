#!/usr/bin/env bash
# protobuf 7.36.2 (Python) reads numbers in quotes as Python's int and float do: 1_0 is 10 in an int64, a double and a
# duration, and digits of any script are digits. 1e400 in quotes is infinity, without quotes it is refused.
# Guess before the run: only what JSON writes as a number is one, in quotes or not.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'protobuf==7.36.2'
venv/bin/python - >seen <<'PROGRAM'
from google.protobuf import duration_pb2, json_format, wrappers_pb2

kinds = {"int64": wrappers_pb2.Int64Value, "double": wrappers_pb2.DoubleValue, "duration": duration_pb2.Duration}
for kind, text in (
    ("int64", '"1_0"'), ("int64", '"\\u0661"'), ("int64", "1_0"), ("double", '"1_0.5"'), ("double", '"1e400"'),
    ("double", "1e400"), ("duration", '"1_0s"'), ("duration", '"\\u0661s"'),
):
    try:
        print(kind, text, str(json_format.Parse(text, kinds[kind]())).strip())
    except json_format.ParseError:
        print(kind, text, "refused")
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
int64 "1_0" value: 10
int64 "\u0661" value: 1
int64 1_0 refused
double "1_0.5" value: 10.5
double "1e400" value: inf
double 1e400 refused
duration "1_0s" seconds: 10
duration "\u0661s" seconds: 1
SEEN
echo "seen as described"
