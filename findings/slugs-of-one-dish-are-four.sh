#!/usr/bin/env bash
# Ids made of the names of dishes, by python-slugify 9.2.0 (PyPI) and by slugify 1.6.9, @sindresorhus/slugify 3.0.1 and
# transliteration 2.6.1 (npm): no two of the four agree on all of seven names. Two make an empty text of a name in Japanese or
# Korean, so all such dishes have one id; "1,5 l" is 15-l or 1-5-l, a half is 1-2 or nothing, an ö is o or oe.
# Guess before the run: words differ, but no name becomes empty.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . slugify@1.6.9 @sindresorhus/slugify@3.0.1 transliteration@2.6.1
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check python-slugify==9.2.0 text-unidecode==1.3
cat >program.mjs <<'PROGRAM'
import fs from "node:fs";
import first from "slugify";
import second from "@sindresorhus/slugify";
import { slugify as third } from "transliteration";

for (const [name, python] of JSON.parse(fs.readFileSync("names.json"))) {
  console.log([name, python, first(name, { lower: true }), second(name), third(name)].join(" | "));
}
PROGRAM
venv/bin/python - <<'PROGRAM'
import json
from slugify import slugify

names = ("Köfte", "½ chicken", "1,5 l", "7-Up™", "€5 menu", "寿司", "김치")
with open("names.json", "w") as file:
    json.dump([(name, slugify(name)) for name in names], file)
PROGRAM
node program.mjs >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
Köfte | kofte | kofte | koefte | kofte
½ chicken | 1-2-chicken | chicken | chicken | 1-2-chicken
1,5 l | 15-l | 15-l | 1-5-l | 1-5-l
7-Up™ | 7-uptm | 7-uptm | 7-up | 7-up-tm
€5 menu | eur5-menu | euro5-menu | e5-menu | eu5-menu
寿司 | shou-si |  |  | shou-si
김치 | gimci |  |  | gimci
SEEN
echo "seen as described"
