#!/usr/bin/env bash
# Tags of languages, each judged by language-tags 1.3.2 (PyPI), bcp-47 2.1.2 (npm) and by Intl of Node 20. The first calls
# en-, en--US and en-x- valid, and one letter of an extension twice, and does not know i-klingon, x-private and zh-yue; the
# second refuses the first three alone, the third all seven, though RFC 5646 keeps i-klingon and x-private.
# Guess before the run: what has an empty part is refused by all; what the RFC lists is known by all.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . bcp-47@2.1.2
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check language-tags==1.3.2
cat >program.mjs <<'PROGRAM'
import fs from "node:fs";
import { parse, stringify } from "bcp-47";

for (const [tag, valid] of JSON.parse(fs.readFileSync("tags.json"))) {
  let canonical;
  try {
    canonical = Intl.getCanonicalLocales(tag)[0];
  } catch {
    canonical = "refused";
  }
  console.log([tag, valid, stringify(parse(tag)) || "refused", canonical].join(" | "));
}
PROGRAM
venv/bin/python - >seen <<'PROGRAM'
import json
from language_tags import tags

names = ["en-", "en--US", "en-x-", "en-a-foo-a-bar", "i-klingon", "x-private", "zh-yue", "sr-Latn-RS"]
with open("tags.json", "w") as file:
    json.dump([(name, tags.check(name)) for name in names], file)
PROGRAM
node program.mjs >>seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
en- | true | refused | refused
en--US | true | refused | refused
en-x- | true | refused | refused
en-a-foo-a-bar | true | en-a-foo-a-bar | refused
i-klingon | false | tlh | refused
x-private | false | x-private | refused
zh-yue | false | zh-yue | refused
sr-Latn-RS | true | sr-Latn-RS | sr-Latn-RS
SEEN
echo "seen as described"
