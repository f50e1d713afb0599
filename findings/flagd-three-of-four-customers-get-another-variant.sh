#!/usr/bin/env bash
# Flags of flagd, one configuration, two evaluators of OpenFeature: @openfeature/flagd-core 4.0.1 (npm) chooses the variant
# of a customer by the hash of a text, openfeature-flagd-core 2.0.0 (PyPI) by that of its CBOR, so that of 2,000 customers
# 1,450 get another one of four variants. By an attribute that is a number the first chooses none, and answers the default. A
# text compared with a number is an error of the first and false in the second.
# Guess before the run: one variant for each customer from both, as the format of the flags is one.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . @openfeature/flagd-core@4.0.1 @openfeature/core@1.12.0
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'openfeature-flagd-core==2.0.0'
cat >flags.json <<'FILE'
{"flags": {
  "menu": {"state": "ENABLED", "defaultVariant": "a", "variants": {"a": "a", "b": "b", "c": "c", "d": "d"},
           "targeting": {"fractional": [["a", 25], ["b", 25], ["c", 25], ["d", 25]]}},
  "store": {"state": "ENABLED", "defaultVariant": "a", "variants": {"a": "a", "b": "b", "c": "c", "d": "d"},
            "targeting": {"fractional": [{"var": "store"}, ["a", 25], ["b", 25], ["c", 25], ["d", 25]]}},
  "orders": {"state": "ENABLED", "defaultVariant": "few", "variants": {"few": "few", "many": "many"},
             "targeting": {"if": [{">": [{"var": "orders"}, 5]}, "many", "few"]}}}}
FILE
cat >flags.mjs <<'FILE'
import { readFileSync, writeFileSync } from "node:fs";
import { FlagdCore } from "@openfeature/flagd-core";

const core = new FlagdCore();
core.setConfigurations(readFileSync("flags.json", "utf8"));
const logger = { error() {}, warn() {}, info() {}, debug() {} };
const answer = (flag, context) => {
  const { value, reason } = core.resolveStringEvaluation(flag, "none", context, logger);
  return `${value} ${reason}`;
};
const answers = Array.from({ length: 2000 }, (_, index) => answer("menu", { targetingKey: `customer-${index}` }));
for (const store of [7, 12, "7"]) answers.push(answer("store", { targetingKey: "x", store }));
for (const orders of [6, "6", "many"]) answers.push(answer("orders", { targetingKey: "x", orders }));
writeFileSync("answers.json", JSON.stringify(answers));
FILE
cat >flags.py <<'FILE'
import json, logging
from openfeature.contrib.tools.flagd.core import FlagdCore
from openfeature.evaluation_context import EvaluationContext

logging.disable(logging.CRITICAL)
core = FlagdCore()
core.set_flags(open("flags.json").read())


def answer(flag, key, **attributes):
    result = core.resolve_string_value(flag, "none", EvaluationContext(key, attributes))
    return f"{result.value} {getattr(result.reason, 'value', result.reason)}"


others = json.load(open("answers.json"))
answers = [answer("menu", f"customer-{index}") for index in range(2000)]
print("customers with another variant:", sum(a != b for a, b in zip(answers, others)))
rest = iter(others[2000:])
for name, values in (("store", (7, 12, "7")), ("orders", (6, "6", "many"))):
    for value in values:
        print(name, repr(value), "npm:", next(rest), "PyPI:", answer(name, "x", **{name: value}))
FILE
{ node flags.mjs; venv/bin/python flags.py; } >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
customers with another variant: 1450
store 7 npm: a DEFAULT PyPI: b TARGETING_MATCH
store 12 npm: a DEFAULT PyPI: c TARGETING_MATCH
store '7' npm: a TARGETING_MATCH PyPI: c TARGETING_MATCH
orders 6 npm: many TARGETING_MATCH PyPI: many TARGETING_MATCH
orders '6' npm: many TARGETING_MATCH PyPI: many TARGETING_MATCH
orders 'many' npm: none ERROR PyPI: few TARGETING_MATCH
SEEN
echo "seen as described"
