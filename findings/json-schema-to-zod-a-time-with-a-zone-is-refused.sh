#!/usr/bin/env bash
# json-schema-to-zod 2.8.1 (npm) writes code for zod 4.6.7 from a JSON Schema. Under format time, which is one with a zone,
# it refuses 12:30:00Z and takes 12:30, the other way round than ajv 8.20.0; a key that matches none of the patterns of keys
# is refused though others are allowed; the items of a pair, contains, if, minProperties and required keys without a
# description bind nothing, and format ipv4 becomes a method that zod 4 does not have.
# Guess before the run: 12:30:00Z is taken and 12:30 refused, other keys are allowed; what cannot be said is an error.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . json-schema-to-zod@2.8.1 zod@4.6.7 ajv@8.20.0 ajv-formats@3.0.1
cat >program.mjs <<'PROGRAM'
import Ajv from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { jsonSchemaToZod } from "json-schema-to-zod";
import * as z from "zod";

const ajv = new Ajv.default({ strict: false });
formats.default(ajv);
const cases = [
  [{ type: "string", format: "time" }, ["12:30:00Z", "12:30"]],
  [{ type: "object", patternProperties: { "^x": { type: "number" } } }, [{ x1: 1 }, { note: "hot" }]],
  [{ type: "array", prefixItems: [{ type: "string" }, { type: "number" }], items: false }, [["Fries", "free", 3]]],
  [{ type: "array", contains: { const: 1 } }, [[2]]],
  [{ type: "object", minProperties: 1 }, [{}]],
  [{ type: "object", required: ["name"] }, [{}]],
  [{ if: { required: ["a"] }, then: { required: ["b"] } }, [{ a: 1 }]],
  [{ type: "string", format: "ipv4" }, ["10.0.0.1"]],
];
for (const [schema, values] of cases) {
  for (const value of values) {
    let answer;
    try {
      answer = new Function("z", `return ${jsonSchemaToZod(schema)}`)(z).safeParse(value).success;
    } catch (error) {
      answer = error.constructor.name;
    }
    console.log(JSON.stringify(schema), JSON.stringify(value), "ajv", ajv.compile(schema)(value), "zod", answer);
  }
}
PROGRAM
node program.mjs >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
{"type":"string","format":"time"} "12:30:00Z" ajv true zod false
{"type":"string","format":"time"} "12:30" ajv false zod true
{"type":"object","patternProperties":{"^x":{"type":"number"}}} {"x1":1} ajv true zod true
{"type":"object","patternProperties":{"^x":{"type":"number"}}} {"note":"hot"} ajv true zod false
{"type":"array","prefixItems":[{"type":"string"},{"type":"number"}],"items":false} ["Fries","free",3] ajv false zod true
{"type":"array","contains":{"const":1}} [2] ajv false zod true
{"type":"object","minProperties":1} {} ajv false zod true
{"type":"object","required":["name"]} {} ajv false zod true
{"if":{"required":["a"]},"then":{"required":["b"]}} {"a":1} ajv false zod true
{"type":"string","format":"ipv4"} "10.0.0.1" ajv true zod TypeError
SEEN
echo "seen as described"
