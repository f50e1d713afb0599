#!/usr/bin/env bash
# valibot 1.5.0 (npm) knows two forms of a time, and @valibot/to-json-schema 1.8.0 writes both as formats of JSON Schema that
# are others: what isoTime and isoDateTime take, ajv 8.20.0 refuses, and what ajv takes, they refuse; no text is valid for
# both. The 30th of February is a date and a moment. multipleOf(0.01) is a remainder of doubles: of the 9,999 prices from
# 0.01 to 99.99 it takes 14, and 8.50 is none of them.
# Guess before the run: one answer for each text, the 30th of February refused, and 19.99 a multiple of 0.01.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . valibot@1.5.0 @valibot/to-json-schema@1.8.0 ajv@8.20.0 ajv-formats@3.0.1
cat >program.mjs <<'PROGRAM'
import { toJsonSchema } from "@valibot/to-json-schema";
import Ajv from "ajv";
import formats from "ajv-formats";
import * as v from "valibot";

const ajv = new Ajv.default();
formats.default(ajv);
const cases = [
  ["isoTime", v.isoTime(), ["12:30", "12:30:00", "12:30:00Z"]],
  ["isoDateTime", v.isoDateTime(), ["2026-11-30T12:30", "2026-11-30 12:30", "2026-11-30T12:30:00Z"]],
  ["isoDate", v.isoDate(), ["2026-02-30"]],
  ["isoTimestamp", v.isoTimestamp(), ["2026-02-30T00:00:00Z"]],
];
for (const [name, action, texts] of cases) {
  const schema = v.pipe(v.string(), action);
  const { $schema, ...written } = toJsonSchema(schema);
  const valid = ajv.compile(written);
  for (const text of texts) console.log(name, written.format, text, "valibot", v.is(schema, text), "ajv", valid(text));
}
const cents = v.pipe(v.number(), v.multipleOf(0.01));
const prices = Array.from({ length: 9999 }, (_, index) => (index + 1) / 100);
console.log("prices that are whole cents:", prices.filter((price) => v.is(cents, price)).length, "of", prices.length);
console.log("8.5, 19.99, 0.3:", [8.5, 19.99, 0.3].map((price) => v.is(cents, price)).join(", "));
PROGRAM
node program.mjs >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
isoTime time 12:30 valibot true ajv false
isoTime time 12:30:00 valibot false ajv false
isoTime time 12:30:00Z valibot false ajv true
isoDateTime date-time 2026-11-30T12:30 valibot true ajv false
isoDateTime date-time 2026-11-30 12:30 valibot true ajv false
isoDateTime date-time 2026-11-30T12:30:00Z valibot false ajv true
isoDate date 2026-02-30 valibot true ajv false
isoTimestamp date-time 2026-02-30T00:00:00Z valibot true ajv false
prices that are whole cents: 14 of 9999
8.5, 19.99, 0.3: false, false, false
SEEN
echo "seen as described"
