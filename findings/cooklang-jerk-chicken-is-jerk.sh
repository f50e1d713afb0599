#!/usr/bin/env bash
# One recipe in Cooklang, three readers: cooklang-bindings 0.6.0 (PyPI, the official parser in Rust), cooklang-py 1.0.1
# (PyPI) and @tmlmt/cooklang-parser 2.1.8 (npm). @jerk-chicken is "jerk" and @mac&cheese "mac" for the first; {1,5%l} is 1.5
# litres for the third and a text for the others; {01/2} is a half for the last two; {=2%kg}, a quantity that is not scaled,
# is the text =2 for the second; 1_000 is 1000 for it alone; {5%} is nothing and {1 1/2%cup} a text for the third.
# Guess before the run: one ingredient and one quantity from all; jerk-chicken is one word.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . @tmlmt/cooklang-parser@2.1.8
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'cooklang-bindings==0.6.0' 'cooklang-py==1.0.1'
cat >recipe.json <<'FILE'
["Fry @jerk-chicken.", "Bake @mac&cheese.", "@cola{1,5%l}", "@eggs{01/2}", "@flour{=2%kg}", "@flour{1_000%g}", "@rice{5%}",
 "@salt{007%g}", "@sugar{1.50%kg}", "@milk{1 1/2%cup}"]
FILE
cat >recipe.mjs <<'FILE'
import { readFileSync, writeFileSync } from "node:fs";
import { Recipe } from "@tmlmt/cooklang-parser";

const number = (value) => (value.type === "fraction" ? value.num / value.den : value.value);
const read = (text) => {
  const [{ name, quantity, unit }] = new Recipe(text).ingredients;
  const value = quantity?.value;
  return [name, value ? (value.type === "text" ? `"${value.value}"` : number(value)) : "none", unit ?? ""];
};
writeFileSync("read.json", JSON.stringify(JSON.parse(readFileSync("recipe.json", "utf8")).map(read)));
FILE
cat >recipe.py <<'FILE'
import json
import cooklang, cooklang_py


def shown(name, value, unit):
    value = json.dumps(value) if isinstance(value, str) else "none" if value is None else value
    return f"{name} {value} {unit or ''}".strip()


for text, (name, value, unit) in zip(json.load(open("recipe.json")), json.load(open("read.json"))):
    official = cooklang.parse(text).ingredients[0]
    quantity = official.quantity
    print(text)
    print("  bindings:", shown(official.name, quantity and quantity.value, quantity and quantity.unit))
    other = cooklang_py.Recipe(text).ingredients[0]
    print("  py:", f"{other.name} {other.quantity}".strip())
    print("  tmlmt:", f"{name} {value} {unit}".strip())
FILE
{ node recipe.mjs; venv/bin/python recipe.py; } >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
Fry @jerk-chicken.
  bindings: jerk none
  py: jerk-chicken
  tmlmt: jerk-chicken none
Bake @mac&cheese.
  bindings: mac none
  py: mac&cheese
  tmlmt: mac&cheese none
@cola{1,5%l}
  bindings: cola "1,5" l
  py: cola 1,5 l
  tmlmt: cola 1.5 l
@eggs{01/2}
  bindings: eggs "01/2"
  py: eggs 1/2
  tmlmt: eggs 0.5
@flour{=2%kg}
  bindings: flour 2 kg
  py: flour =2 kg
  tmlmt: flour 2 kg
@flour{1_000%g}
  bindings: flour "1_000" g
  py: flour 1000 g
  tmlmt: flour "1_000" g
@rice{5%}
  bindings: rice 5
  py: rice 5
  tmlmt: rice none
@salt{007%g}
  bindings: salt "007" g
  py: salt 7 g
  tmlmt: salt 7 g
@sugar{1.50%kg}
  bindings: sugar 1.5 kg
  py: sugar 1.50 kg
  tmlmt: sugar 1.5 kg
@milk{1 1/2%cup}
  bindings: milk 1.5 cup
  py: milk 1 1/2 c
  tmlmt: milk "1 1/2" cup
SEEN
echo "seen as described"
