#!/usr/bin/env bash
# zod 4.6.7 (npm) writes its schemas as JSON Schema, for editors, for tools of a language model and for ajv 8.20.0: a pattern
# for small and capital letters (/^fries$/i) loses its flag without a word, so FRIES is valid for one and refused by the
# other; a duration with a fraction (PT0.5S) has a format that refuses it; spaces that trim() takes away are a name of two
# characters. What cannot be written otherwise, such as NaN, is an error.
# Guess before the run: the flag is an error, or written into the pattern.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . zod@4.6.7 ajv@8.20.0 ajv-formats@3.0.1
cat >program.mjs <<'PROGRAM'
import Ajv from "ajv/dist/2020.js";
import formats from "ajv-formats";
import * as z from "zod";

const ajv = new Ajv.default();
formats.default(ajv);
const cases = [
  ["pattern", z.string().regex(/^fries$/i), ["fries", "FRIES"]],
  ["duration", z.iso.duration(), ["PT30M", "PT0.5S"]],
  ["name", z.string().trim().min(1), ["  "]],
];
for (const [name, schema, values] of cases) {
  const valid = ajv.compile(z.toJSONSchema(schema));
  for (const value of values) console.log(name, JSON.stringify(value), schema.safeParse(value).success, valid(value));
}
try {
  z.toJSONSchema(z.nan());
} catch (error) {
  console.log("NaN:", error.message);
}
PROGRAM
node program.mjs >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
pattern "fries" true true
pattern "FRIES" true false
duration "PT30M" true true
duration "PT0.5S" true false
name "  " false true
NaN: NaN cannot be represented in JSON Schema
SEEN
echo "seen as described"
