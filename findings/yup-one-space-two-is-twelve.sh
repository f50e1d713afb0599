#!/usr/bin/env bash
# Numbers in texts by yup 1.7.1 (npm): "1 2" is 12, as spaces are removed, 0x10 is 16, a list with a 5 is 5, Infinity is a
# number, and truncate() makes -1294967296 of 3000000000. typebox 0.34.52 (npm, @sinclair/typebox) converts "1e3" to the
# integer 1 and "1.99" to 1. zod 4.6.7, joi 18.3.2 and arktype 2.2.10 (npm) refuse "1 2"; joi refuses 0x10 and the list,
# too.
# Guess before the run: "1 2" is refused, truncate() keeps 3000000000, and "1e3" is 1000 or refused.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . yup@1.7.1 @sinclair/typebox@0.34.52 zod@4.6.7 joi@18.3.2 arktype@2.2.10
cat >program.mjs <<'PROGRAM'
import { Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { type } from "arktype";
import joi from "joi";
import * as yup from "yup";
import * as zod from "zod";

const readers = {
  yup: (value) => yup.number().validateSync(value),
  typebox: (value) => Value.Decode(Type.Integer(), Value.Convert(Type.Integer(), value)),
  zod: (value) => zod.coerce.number().parse(value),
  joi: (value) => joi.attempt(value, joi.number()),
  arktype: (value) => type("string.numeric.parse").assert(value),
};
for (const value of ["1 2", "0x10", "1e3", "1.99", "Infinity", [5]])
  for (const [name, read] of Object.entries(readers)) {
    let seen = "refused";
    try {
      seen = read(value);
    } catch {}
    console.log(JSON.stringify(value), name, seen);
  }
console.log("yup truncate", yup.number().truncate().cast(3000000000));
PROGRAM
node program.mjs >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
"1 2" yup 12
"1 2" typebox refused
"1 2" zod refused
"1 2" joi refused
"1 2" arktype refused
"0x10" yup 16
"0x10" typebox 16
"0x10" zod 16
"0x10" joi refused
"0x10" arktype refused
"1e3" yup 1000
"1e3" typebox 1
"1e3" zod 1000
"1e3" joi 1000
"1e3" arktype refused
"1.99" yup 1.99
"1.99" typebox 1
"1.99" zod 1.99
"1.99" joi 1.99
"1.99" arktype 1.99
"Infinity" yup Infinity
"Infinity" typebox refused
"Infinity" zod refused
"Infinity" joi refused
"Infinity" arktype refused
[5] yup 5
[5] typebox refused
[5] zod 5
[5] joi refused
[5] arktype refused
yup truncate -1294967296
SEEN
echo "seen as described"
