#!/usr/bin/env bash
# One formula in engines for spreadsheets, hyperformula 3.5.0, fast-formula-parser 1.0.19 (npm), formulas 1.3.4 and pycel
# 1.0b30 (PyPI): a month after 31 January is 3 March for the second and the fourth; "a"="A" is false for the second, which
# also counts the days of the week from another one; VALUE("1,234") is the day 85469 for the third; -2^2 is -4, and the text
# "1" in a sum is nothing, for the fourth; 1.005 to two digits is 1.01 there and 1 in the others.
# Guess before the run: the answers of spreadsheets: 28 February, true, 1234, 4 and 3; one rounding.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . hyperformula@3.5.0 fast-formula-parser@1.0.19
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'formulas==1.3.4' 'pycel==1.0b30'
cat >formulas.json <<'FILE'
["=EDATE(DATE(2026,1,31),1)", "=\"a\"=\"A\"", "=WEEKDAY(1)", "=VALUE(\"1,234\")", "=-2^2",
 "=SUM(\"1\",2)", "=AVERAGE(\"1\",3)",
 "=ROUND(1.005,2)", "=COUNTIF({1,\"1\",2},1)", "=POWER(0,0)", "=TIME(25,0,0)",
 "=REPT(\"a\",2.9)", "=IF(\"\",1,2)", "=NOT(\"FALSE\")"]
FILE
cat >engines.mjs <<'FILE'
import { readFileSync, writeFileSync } from "node:fs";
import Parser from "fast-formula-parser";
import { HyperFormula } from "hyperformula";

const engine = HyperFormula.buildEmpty({ licenseKey: "gpl-v3" });
const sheet = engine.getSheetId(engine.addSheet("Menu"));
const parser = new Parser({});
const answers = {};
for (const formula of JSON.parse(readFileSync("formulas.json", "utf8"))) {
  const first = engine.calculateFormula(formula, sheet);
  let second;
  try {
    second = parser.parse(formula.slice(1), { sheet: "Menu", row: 1, col: 1 });
    second = second?.error ?? second;
  } catch {
    second = "error";
  }
  answers[formula] = [first?.value ?? first, second];
}
writeFileSync("answers.json", JSON.stringify(answers));
FILE
cat >engines.py <<'FILE'
import json, logging, warnings
import formulas, numpy
from pycel.excelformula import ExcelFormula

logging.disable(logging.CRITICAL)
warnings.simplefilter("ignore")
evaluate = ExcelFormula.build_eval_context(None, None)


def attempt(run):
    try:
        return numpy.asarray(run(), dtype=object).ravel()[0]
    except Exception:
        return "error"


def shown(value):
    return f"{value:.6g}" if type(value) in (int, float) or isinstance(value, numpy.number) else str(value)


print("formula", "hyperformula", "fast-formula-parser", "formulas", "pycel", sep=" | ")
for formula, answers in json.load(open("answers.json")).items():
    answers.append(attempt(lambda: formulas.Parser().ast(formula)[1].compile()()))
    answers.append(attempt(lambda: evaluate(ExcelFormula(formula))))
    print(formula, *map(shown, answers), sep=" | ")
FILE
{ node engines.mjs; venv/bin/python engines.py; } >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
formula | hyperformula | fast-formula-parser | formulas | pycel
=EDATE(DATE(2026,1,31),1) | 46081 | 46084 | 46081 | 46084
="a"="A" | True | False | True | True
=WEEKDAY(1) | 1 | 2 | 1 | 1
=VALUE("1,234") | #VALUE! | error | 85469 | #VALUE!
=-2^2 | 4 | 4 | 4 | -4
=SUM("1",2) | 3 | 3 | 3 | 2
=AVERAGE("1",3) | 2 | 2 | 2 | 3
=ROUND(1.005,2) | 1 | 1 | 1 | 1.01
=COUNTIF({1,"1",2},1) | 2 | 1 | 2 | 2
=POWER(0,0) | 1 | 1 | #NUM! | #N/A
=TIME(25,0,0) | 0.0416667 | 1.04167 | 0.0416667 | error
=REPT("a",2.9) | aa | aaa | aa | error
=IF("",1,2) | 2 | 2 | #VALUE! | #VALUE!
=NOT("FALSE") | True | #VALUE! | #VALUE! | True
SEEN
echo "seen as described"
