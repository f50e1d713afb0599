#!/usr/bin/env bash
# Settings of Node from variables of the environment: for convict 6.2.5 (npm) every text but false is true, so no, 0 and off
# are yes, while envalid 8.2.0 reads no as false and env-var 7.5.0 refuses it. Numbers end at the first character that is
# none: 1,000 and 1_000 are 1 for convict and envalid, 5m is 5 and 0x10 is 0; as an int of convict 1.9 is 1, and so is 1e3.
# env-var refuses 1,000 and 5m, and reads 0x10 as 0.
# Guess before the run: no is no or an error, and so is 1,000.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . convict@6.2.5 env-var@7.5.0 envalid@8.2.0
cat >program.mjs <<'PROGRAM'
import convict from "convict";
import env from "env-var";
import * as envalid from "envalid";

const READERS = {
  convict: (text, kind) => convict({ setting: { format: { number: Number, int: "int", bool: Boolean }[kind], default: null, nullable: true, env: "SETTING" } }, { env: { SETTING: text }, args: [] }).validate().get("setting"),
  envalid: (text, kind) => envalid.cleanEnv({ SETTING: text }, { SETTING: { number: envalid.num, int: envalid.num, bool: envalid.bool }[kind]() }, { reporter: ({ errors }) => { if (Object.keys(errors).length) throw new Error(); } }).SETTING,
  "env-var": (text, kind) => env.from({ SETTING: text }).get("SETTING")[{ number: "asFloat", int: "asInt", bool: "asBool" }[kind]](),
};
const CASES = [["bool", ["no", "0", "off", "false", "enabled"]], ["number", ["1,000", "1_000", "5m", "0x10", "8,50", "1e3"]], ["int", ["1.9", "1e3"]]];
for (const [kind, texts] of CASES)
  for (const text of texts) {
    const answers = Object.entries(READERS).map(([name, read]) => {
      try { return `${name} ${read(text, kind)}`; } catch { return `${name} an error`; }
    });
    console.log(kind, text, "->", answers.join(", "));
  }
PROGRAM
TZ=UTC node program.mjs >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
bool no -> convict true, envalid false, env-var an error
bool 0 -> convict true, envalid false, env-var false
bool off -> convict true, envalid false, env-var an error
bool false -> convict false, envalid false, env-var false
bool enabled -> convict true, envalid an error, env-var an error
number 1,000 -> convict 1, envalid 1, env-var an error
number 1_000 -> convict 1, envalid 1, env-var an error
number 5m -> convict 5, envalid 5, env-var an error
number 0x10 -> convict 0, envalid 0, env-var 0
number 8,50 -> convict 8, envalid 8, env-var an error
number 1e3 -> convict 1000, envalid 1000, env-var 1000
int 1.9 -> convict 1, envalid 1.9, env-var an error
int 1e3 -> convict 1, envalid 1000, env-var an error
SEEN
echo "seen as described"
