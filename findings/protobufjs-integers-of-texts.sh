#!/usr/bin/env bash
# protobufjs 8.8.1 (npm): fromObject of an int64 field makes 1 of the text "1e3" and 0 of "abc", and of a bool field true of "false",
# without an error; an enum value that it does not know is left out. @bufbuild/protobuf 2.17.0 refuses all of them in ProtoJSON.
# Guess before the run: 1000 or an error; an error for the others.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . protobufjs@8.8.1 @bufbuild/protobuf@2.17.0
cat >program.mjs <<'PROGRAM'
import protobuf from "protobufjs";
import { fromJson } from "@bufbuild/protobuf";
import { BoolValueSchema, Int64ValueSchema } from "@bufbuild/protobuf/wkt";

const source = `syntax = "proto3"; enum Kind { NONE = 0; ORDER = 1; } message Event { int64 id = 1; bool paid = 2; Kind kind = 3; }`;
const type = protobuf.parse(source).root.lookupType("Event");
for (const object of [{ id: "1e3" }, { id: "abc" }, { paid: "false" }, { kind: "REFUND" }])
  console.log(JSON.stringify(object), JSON.stringify(type.toObject(type.fromObject(object), { longs: String, enums: String })));
for (const [schema, value] of [[Int64ValueSchema, "1e3"], [Int64ValueSchema, "abc"], [BoolValueSchema, "false"]]) {
  try {
    console.log(value, fromJson(schema, value).value);
  } catch {
    console.log(value, "refused by @bufbuild/protobuf");
  }
}
PROGRAM
node program.mjs >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
{"id":"1e3"} {"id":"1"}
{"id":"abc"} {"id":"0"}
{"paid":"false"} {"paid":true}
{"kind":"REFUND"} {}
1e3 refused by @bufbuild/protobuf
abc refused by @bufbuild/protobuf
false refused by @bufbuild/protobuf
SEEN
echo "seen as described"
