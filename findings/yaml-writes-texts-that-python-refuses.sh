#!/usr/bin/env bash
# yaml 2.9.1 (npm) writes a text with a tab in it, "Fries<tab>3.50", and the texts "=" and "<<", without quotes, which YAML 1.2
# allows, and PyYAML 6.0.4 and ruamel.yaml 0.19.1 refuse the whole document. ruamel.yaml reads YAML 1.2 by default and refuses them
# all the same. js-yaml 5.5.0 writes all three in quotes, and reads them without.
# Guess before the run: at worst another type, as PyYAML makes of "no"; never a document that cannot be read.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . yaml@2.9.1 js-yaml@5.5.0
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'pyyaml==6.0.4' 'ruamel.yaml==0.19.1'
cat >program.mjs <<'PROGRAM'
import { writeFileSync } from "node:fs";
import { dump, load } from "js-yaml";
import { stringify } from "yaml";

const texts = ["Fries\t3.50", "=", "<<"];
const written = texts.map((text) => ({ text, "yaml 2.9.1": stringify({ name: text }), "js-yaml 5.5.0": dump({ name: text }) }));
for (const row of written) console.log(JSON.stringify(row.text), "js-yaml reads what yaml writes", load(row["yaml 2.9.1"]).name === row.text);
writeFileSync("written.json", JSON.stringify(written));
PROGRAM
node program.mjs >seen
venv/bin/python - >>seen <<'PROGRAM'
import json

import yaml
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

with open("written.json", encoding="utf-8") as file:
    written = json.load(file)
for row in written:
    for writer in ("yaml 2.9.1", "js-yaml 5.5.0"):
        answers = []
        for reader, read in (("PyYAML", yaml.safe_load), ("ruamel.yaml", YAML(typ="safe").load)):
            try:
                answers.append(f"{reader} {read(row[writer])['name'] == row['text']}")
            except (yaml.YAMLError, YAMLError):
                answers.append(f"{reader} refuses it")
        print(writer, json.dumps(row[writer]), "|", ", ".join(answers))
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
"Fries\t3.50" js-yaml reads what yaml writes true
"=" js-yaml reads what yaml writes true
"<<" js-yaml reads what yaml writes true
yaml 2.9.1 "name: Fries\t3.50\n" | PyYAML refuses it, ruamel.yaml refuses it
js-yaml 5.5.0 "name: \"Fries\\t3.50\"\n" | PyYAML True, ruamel.yaml True
yaml 2.9.1 "name: =\n" | PyYAML refuses it, ruamel.yaml refuses it
js-yaml 5.5.0 "name: '='\n" | PyYAML True, ruamel.yaml True
yaml 2.9.1 "name: <<\n" | PyYAML refuses it, ruamel.yaml refuses it
js-yaml 5.5.0 "name: '<<'\n" | PyYAML True, ruamel.yaml True
SEEN
echo "seen as described"
