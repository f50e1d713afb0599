#!/usr/bin/env bash
# Values of EDN, the notation of Clojure's settings, by edn-data 1.2.2, jsedn 0.4.1 (npm) and edn-format 0.8.0 (PyPI): jsedn
# reads the escape in "caf\u00e9" as the letters u00e9, and makes a text of an integer above 2^53, which edn-data rounds; a
# decimal of 1.50M is a double for both, an exact integer 1N is a bigint for edn-data alone. The 30th of February is the
# second of March in JavaScript and an error in Python, where 1_000 is 1 and 017 is 0.
# Guess before the run: escapes are read, exact numbers stay exact or are refused, as are the day and the forms that EDN does
# not have.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export TZ=UTC
npm install --silent --no-audit --no-fund --prefix . edn-data@1.2.2 jsedn@0.4.1
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'edn-format==0.8.0'
cat >values.json <<'FILE'
["\"caf\\u00e9\"", "9007199254740993", "9007199254740993N", "1N", "1.50M", "#inst \"2026-02-30\"", "1_000", "017"]
FILE
cat >program.cjs <<'PROGRAM'
const { parseEDNString } = require("edn-data");
const jsedn = require("jsedn");

const attempt = (run) => {
  let value;
  try {
    value = run();
  } catch {
    return "error";
  }
  if (value instanceof Date) return value.toISOString().slice(0, 10);
  return typeof value === "bigint" ? `${value}n` : JSON.stringify(value);
};
for (const text of require("./values.json")) {
  const other = attempt(() => jsedn.toJS(jsedn.parse(text)));
  console.log(text, "-> edn-data", attempt(() => parseEDNString(text)), "jsedn", other);
}
PROGRAM
cat >program.py <<'PROGRAM'
import json
import edn_format

for text in json.load(open("values.json")):
    try:
        print(text, "-> edn-format", repr(edn_format.loads(text)))
    except Exception as error:
        print(text, "-> edn-format", type(error).__name__)
PROGRAM
{ node program.cjs; venv/bin/python program.py; } >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
"caf\u00e9" -> edn-data "café" jsedn "cafu00e9"
9007199254740993 -> edn-data 9007199254740992 jsedn "9007199254740993"
9007199254740993N -> edn-data 9007199254740993n jsedn "9007199254740993N"
1N -> edn-data 1n jsedn 1
1.50M -> edn-data 1.5 jsedn 1.5
#inst "2026-02-30" -> edn-data 2026-03-02 jsedn 2026-03-02
1_000 -> edn-data {"sym":"1_000"} jsedn error
017 -> edn-data {"sym":"017"} jsedn 17
"caf\u00e9" -> edn-format 'café'
9007199254740993 -> edn-format 9007199254740993
9007199254740993N -> edn-format 9007199254740993
1N -> edn-format 1
1.50M -> edn-format Decimal('1.50')
#inst "2026-02-30" -> edn-format ValueError
1_000 -> edn-format 1
017 -> edn-format 0
SEEN
echo "seen as described"
