#!/usr/bin/env bash
# fromJSONSchema of zod 4.6.7 (npm) makes a validator of a JSON Schema and refuses keywords that it does not know (if, not),
# but others are dropped without a word: a key that is required and not described may be absent, limits without a type or
# beside $ref and anyOf bind nothing, and a text is one of the numbers 1 and "a". A const that is an object takes nothing,
# and 2^53 + 2 is no integer. ajv 8.20.0 (npm) reads them as they are written.
# Guess before the run: what is not supported is refused, and the rest is as in ajv, but for integers above 2^53.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . zod@4.6.7 ajv@8.20.0
cat >program.mjs <<'PROGRAM'
import Ajv from "ajv/dist/2020.js";
import * as z from "zod";

const ajv = new Ajv.default({ strict: false });
const price = { type: "number", minimum: 0 };
const cases = [
  [{ type: "object", properties: { price }, required: ["name"] }, { price: 5 }],
  [{ required: ["name"] }, {}],
  [{ minimum: 5 }, 4],
  [{ properties: { price } }, { price: "free" }],
  [{ $ref: "#/$defs/price", maximum: 5, $defs: { price } }, 7],
  [{ anyOf: [{ type: "number" }, { type: "string" }], minimum: 5 }, 3],
  [{ type: "number", enum: [1, "a"] }, "a"],
  [{ const: { size: "L" } }, { size: "L" }],
  [{ type: "integer" }, 9007199254740994],
  [{ not: { type: "string" } }, 1],
];
for (const [schema, value] of cases) {
  let answer;
  try {
    answer = z.fromJSONSchema(schema).safeParse(value).success;
  } catch (error) {
    answer = "refused";
  }
  console.log(JSON.stringify(schema), JSON.stringify(value), "ajv", ajv.compile(schema)(value), "zod", answer);
}
PROGRAM
node program.mjs >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
{"type":"object","properties":{"price":{"type":"number","minimum":0}},"required":["name"]} {"price":5} ajv false zod true
{"required":["name"]} {} ajv false zod true
{"minimum":5} 4 ajv false zod true
{"properties":{"price":{"type":"number","minimum":0}}} {"price":"free"} ajv false zod true
{"$ref":"#/$defs/price","maximum":5,"$defs":{"price":{"type":"number","minimum":0}}} 7 ajv false zod true
{"anyOf":[{"type":"number"},{"type":"string"}],"minimum":5} 3 ajv false zod true
{"type":"number","enum":[1,"a"]} "a" ajv false zod true
{"const":{"size":"L"}} {"size":"L"} ajv true zod false
{"type":"integer"} 9007199254740994 ajv true zod false
{"not":{"type":"string"}} 1 ajv true zod refused
SEEN
echo "seen as described"
