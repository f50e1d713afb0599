#!/usr/bin/env bash
# JSON of well-known types by @bufbuild/protobuf 2.17.0 (npm), protobuf 7.36.2 and protobuf-py 0.7.0 (PyPI): the 29th of
# February 2026 is the first of March and 24:00 the next day in the first, an error in the others; it takes " 1" and "0x1" for
# integers. An offset of 25 hours moves a Timestamp in protobuf of Python alone, which takes T0:00:00, too. An Int32Value of
# null is 0 in the first and the last. Base64 with marks of the end in the middle is two other bytes in the first.
# Guess before the run: errors in all, by the published mapping.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . @bufbuild/protobuf@2.17.0
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check protobuf==7.36.2 protobuf-py==0.7.0
cat >program.mjs <<'PROGRAM'
import fs from "node:fs";
import { fromJsonString, toJsonString } from "@bufbuild/protobuf";
import * as wkt from "@bufbuild/protobuf/wkt";

for (const [name, text] of JSON.parse(fs.readFileSync("cases.json"))) {
  const schema = wkt[`${name}Schema`];
  let answer;
  try {
    answer = toJsonString(schema, fromJsonString(schema, text));
  } catch {
    answer = "error";
  }
  console.log(name, text, "| protobuf-es", answer);
}
PROGRAM
venv/bin/python - >seen <<'PROGRAM'
import json
from google.protobuf import json_format, timestamp_pb2, wrappers_pb2
from protobuf import wkt

cases = [
    ("Timestamp", '"2026-02-29T00:00:00Z"'), ("Timestamp", '"2026-01-01T24:00:00Z"'), ("Timestamp", '"2026-01-01T00:00:00+25:00"'), ("Timestamp", '"2026-01-01T0:00:00Z"'),
    ("Int64Value", '" 1"'), ("Int64Value", '"0x1"'), ("Int32Value", "null"), ("BytesValue", '"YQ==YQ=="'),
]
types = {"Timestamp": timestamp_pb2.Timestamp, **vars(wrappers_pb2)}
for name, text in cases:
    try:
        first = json_format.MessageToJson(json_format.Parse(text, types[name]()))
    except json_format.ParseError:
        first = "error"
    try:
        second = getattr(wkt, name).from_json(text).to_json()
    except Exception:
        second = "error"
    print(name, text, "| protobuf", first, "| protobuf-py", second)
with open("cases.json", "w") as file:
    json.dump(cases, file)
PROGRAM
node program.mjs >>seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
Timestamp "2026-02-29T00:00:00Z" | protobuf error | protobuf-py error
Timestamp "2026-01-01T24:00:00Z" | protobuf error | protobuf-py error
Timestamp "2026-01-01T00:00:00+25:00" | protobuf "2025-12-30T23:00:00Z" | protobuf-py error
Timestamp "2026-01-01T0:00:00Z" | protobuf "2026-01-01T00:00:00Z" | protobuf-py error
Int64Value " 1" | protobuf error | protobuf-py error
Int64Value "0x1" | protobuf error | protobuf-py error
Int32Value null | protobuf error | protobuf-py 0
BytesValue "YQ==YQ==" | protobuf "YQ==" | protobuf-py error
Timestamp "2026-02-29T00:00:00Z" | protobuf-es "2026-03-01T00:00:00Z"
Timestamp "2026-01-01T24:00:00Z" | protobuf-es "2026-01-02T00:00:00Z"
Timestamp "2026-01-01T00:00:00+25:00" | protobuf-es error
Timestamp "2026-01-01T0:00:00Z" | protobuf-es error
Int64Value " 1" | protobuf-es "1"
Int64Value "0x1" | protobuf-es "1"
Int32Value null | protobuf-es 0
BytesValue "YQ==YQ==" | protobuf-es "YWE="
SEEN
echo "seen as described"
