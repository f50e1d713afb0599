#!/usr/bin/env bash
# Formulas of a price list by hyperformula 3.5.0 (npm): INT(-1.5) is -1, as TRUNC is, and -2 in every spreadsheet and in
# formulas 1.3.4 (PyPI), so a rounded discount differs; TEXT(0.5, "0%") is 1% and TEXT(1234.5, "#,##0.00") is 1235,##0.00;
# ISEVEN(2.9) is false; MONTH of the text 2026-11-30 is an error, as dates are read with the day first alone; 0.1+0.2=0.3 is
# true, as numbers are compared with a tolerance.
# Guess before the run: -2, 50% and 1,234.50; a date of ISO 8601 is read.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . hyperformula@3.5.0
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'formulas==1.3.4'
cat >formulas.json <<'FILE'
["=INT(-1.5)", "=TRUNC(-1.5)", "=TEXT(0.5,\"0%\")", "=TEXT(1234.5,\"#,##0.00\")", "=ISEVEN(2.9)", "=MONTH(\"2026-11-30\")",
 "=DATEVALUE(\"30/11/2026\")", "=DATEVALUE(\"11/30/2026\")", "=0.1+0.2=0.3"]
FILE
cat >program.mjs <<'PROGRAM'
import { readFileSync } from "node:fs";
import { HyperFormula } from "hyperformula";

const engine = HyperFormula.buildEmpty({ licenseKey: "gpl-v3" });
const sheet = engine.getSheetId(engine.addSheet("Menu"));
for (const formula of JSON.parse(readFileSync("formulas.json", "utf8"))) {
  const value = engine.calculateFormula(formula, sheet);
  console.log("hyperformula", formula, "->", value?.value ?? value);
}
PROGRAM
cat >program.py <<'PROGRAM'
import json, warnings
import formulas, numpy

warnings.simplefilter("ignore")
for formula in json.load(open("formulas.json")):
    value = numpy.asarray(formulas.Parser().ast(formula)[1].compile()(), dtype=object).ravel()[0]
    print("formulas", formula, "->", value)
PROGRAM
{ node program.mjs; venv/bin/python program.py; } >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
hyperformula =INT(-1.5) -> -1
hyperformula =TRUNC(-1.5) -> -1
hyperformula =TEXT(0.5,"0%") -> 1%
hyperformula =TEXT(1234.5,"#,##0.00") -> 1235,##0.00
hyperformula =ISEVEN(2.9) -> false
hyperformula =MONTH("2026-11-30") -> #VALUE!
hyperformula =DATEVALUE("30/11/2026") -> 46356
hyperformula =DATEVALUE("11/30/2026") -> #VALUE!
hyperformula =0.1+0.2=0.3 -> true
formulas =INT(-1.5) -> -2
formulas =TRUNC(-1.5) -> -1.0
formulas =TEXT(0.5,"0%") -> 50%
formulas =TEXT(1234.5,"#,##0.00") -> 1,234.50
formulas =ISEVEN(2.9) -> True
formulas =MONTH("2026-11-30") -> 11
formulas =DATEVALUE("30/11/2026") -> 46356
formulas =DATEVALUE("11/30/2026") -> 46356
formulas =0.1+0.2=0.3 -> False
SEEN
echo "seen as described"
