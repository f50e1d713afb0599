#!/usr/bin/env bash
# Feature toggles of Unleash, one file, two evaluators: unleash-client 6.12.1 (npm) compares DATE_AFTER and DATE_BEFORE with
# the time of the run, whatever field the rule names, so an order of 1999 is after 2000; yggdrasil-engine, which
# UnleashClient 6.9.1 (PyPI) runs, compares the field. A rollout of 12.5 percent is an eighth of the customers for the first
# and nobody for the second; whether a customer whose id has an accent is in a half is another answer for each second one; an
# empty text is below 5 in JavaScript alone.
# Guess before the run: the field that is named, and one answer for each customer.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . unleash-client@6.12.1
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'UnleashClient==6.9.1'
cat >toggles.json <<'FILE'
{"version": 2, "features": [
  {"name": "after 2000", "enabled": true, "strategies": [{"name": "default", "constraints": [
    {"contextName": "ordered", "operator": "DATE_AFTER", "value": "2000-01-01T00:00:00Z"}]}]},
  {"name": "before 2000", "enabled": true, "strategies": [{"name": "default", "constraints": [
    {"contextName": "ordered", "operator": "DATE_BEFORE", "value": "2000-01-01T00:00:00Z"}]}]},
  {"name": "fewer than 5", "enabled": true, "strategies": [{"name": "default", "constraints": [
    {"contextName": "orders", "operator": "NUM_LT", "value": "5"}]}]},
  {"name": "more than 5", "enabled": true, "strategies": [{"name": "default", "constraints": [
    {"contextName": "orders", "operator": "NUM_GT", "value": "5"}]}]},
  {"name": "half", "enabled": true, "strategies": [{"name": "flexibleRollout",
    "parameters": {"rollout": "50", "stickiness": "userId", "groupId": "menu"}}]},
  {"name": "an eighth", "enabled": true, "strategies": [{"name": "flexibleRollout",
    "parameters": {"rollout": "12.5", "stickiness": "userId", "groupId": "menu"}}]}]}
FILE
cat >toggles.cjs <<'FILE'
const { readFileSync, writeFileSync } = require("node:fs");
const { InMemStorageProvider, Unleash } = require("unleash-client");

const { features } = JSON.parse(readFileSync("toggles.json", "utf8"));
const unleash = new Unleash({
  appName: "menu", url: "http://127.0.0.1:9/api", refreshInterval: 0, disableMetrics: true, skipInstanceCountWarning: true,
  bootstrap: { data: features }, storageProvider: new InMemStorageProvider(),
});
unleash.on("error", () => {});
unleash.on("warn", () => {});
unleash.on("ready", () => {
  const ask = ([name, context]) => unleash.isEnabled(name, context);
  writeFileSync("answers.json", JSON.stringify(JSON.parse(readFileSync("questions.json", "utf8")).map(ask)));
  process.exit(0);
});
FILE
cat >questions.py <<'FILE'
import json

questions = [(name, {"properties": {"ordered": text}}) for name in ("after 2000", "before 2000")
             for text in ("1999-06-01T00:00:00Z", "2026-06-01T00:00:00Z", "soon")]
questions += [("fewer than 5", {"properties": {"orders": text}}) for text in ("4", "")]
questions += [("more than 5", {"properties": {"orders": text}}) for text in ("6", "0x10")]
questions += [("half", {"userId": f"renee-{index}"}) for index in range(1000)]
questions += [("half", {"userId": f"ren\u00e9e-{index}"}) for index in range(1000)]
questions += [("an eighth", {"userId": f"renee-{index}"}) for index in range(1000)]
json.dump(questions, open("questions.json", "w"))
FILE
cat >toggles.py <<'FILE'
import json
from yggdrasil_engine.engine import UnleashEngine

engine = UnleashEngine()
engine.take_state(open("toggles.json").read())
questions, others = json.load(open("questions.json")), json.load(open("answers.json"))
answers = [engine.is_enabled(name, context).is_enabled for name, context in questions]
for (name, context), other, answer in list(zip(questions, others, answers))[:10]:
    print(name, list(context["properties"].values()), "npm:", other, "PyPI:", answer)
for name, start in (("half, no accent", 10), ("half, an accent", 1010), ("an eighth", 2010)):
    first, second = others[start : start + 1000], answers[start : start + 1000]
    print(name, "npm:", sum(first), "PyPI:", sum(second), "differ:", sum(a != b for a, b in zip(first, second)))
FILE
{ venv/bin/python questions.py; node toggles.cjs; venv/bin/python toggles.py; } >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
after 2000 ['1999-06-01T00:00:00Z'] npm: True PyPI: False
after 2000 ['2026-06-01T00:00:00Z'] npm: True PyPI: True
after 2000 ['soon'] npm: True PyPI: False
before 2000 ['1999-06-01T00:00:00Z'] npm: False PyPI: True
before 2000 ['2026-06-01T00:00:00Z'] npm: False PyPI: False
before 2000 ['soon'] npm: False PyPI: False
fewer than 5 ['4'] npm: True PyPI: True
fewer than 5 [''] npm: True PyPI: False
more than 5 ['6'] npm: True PyPI: True
more than 5 ['0x10'] npm: True PyPI: False
half, no accent npm: 518 PyPI: 518 differ: 0
half, an accent npm: 475 PyPI: 503 differ: 502
an eighth npm: 121 PyPI: 0 differ: 121
SEEN
echo "seen as described"
