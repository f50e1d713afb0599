#!/usr/bin/env bash
# An identifier of 64 bits in TOML: smol-toml 1.9.1 (npm) refuses 9007199254740993 unless it is told to read all integers as
# bigint, @iarna/toml 3.0.0 (npm) gives a bigint beside numbers in one list, and tomli 2.5.0 (PyPI) an int. A time 08:30,
# which TOML 1.1 allows, is read by smol-toml and tomli, as is a comma after the last key, and both are refused by
# @iarna/toml; 24:00:00 is midnight for @iarna/toml.
# Guess before the run: a bigint from both, and 08:30 is refused.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'tomli==2.5.0'
npm install --silent --no-audit --no-fund --prefix . smol-toml@1.9.1 @iarna/toml@3.0.0
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import tomli

for text in ("id = [1, 9007199254740993]", "opens = 08:30", "closes = 24:00:00", "store = { id = 1, }"):
    try:
        print("tomli", text, tomli.loads(text))
    except tomli.TOMLDecodeError:
        print("tomli", text, "refused")
PROGRAM
cat >program.mjs <<'PROGRAM'
import iarna from "@iarna/toml";
import { parse } from "smol-toml";

const show = (key, value) => (typeof value === "bigint" ? value + "n" : value);
for (const text of ["id = [1, 9007199254740993]", "opens = 08:30", "closes = 24:00:00", "store = { id = 1, }"])
  for (const [name, read] of Object.entries({ "smol-toml": parse, "@iarna/toml": iarna.parse })) {
    let seen = "refused";
    try {
      seen = JSON.stringify(read(text), show);
    } catch {}
    console.log(name, text, seen);
  }
PROGRAM
node program.mjs >>seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
tomli id = [1, 9007199254740993] {'id': [1, 9007199254740993]}
tomli opens = 08:30 {'opens': datetime.time(8, 30)}
tomli closes = 24:00:00 refused
tomli store = { id = 1, } {'store': {'id': 1}}
smol-toml id = [1, 9007199254740993] refused
@iarna/toml id = [1, 9007199254740993] {"id":[1,"9007199254740993n"]}
smol-toml opens = 08:30 {"opens":"08:30:00.000"}
@iarna/toml opens = 08:30 refused
smol-toml closes = 24:00:00 refused
@iarna/toml closes = 24:00:00 {"closes":"00:00:00.000"}
smol-toml store = { id = 1, } {"store":{"id":1}}
@iarna/toml store = { id = 1, } refused
SEEN
echo "seen as described"
