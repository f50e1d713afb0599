#!/usr/bin/env bash
# A model as code beside its service, m2cgen 0.10.0 (PyPI). Of a tree of scikit-learn 1.9.1 that learned where missing
# values go it sends them to the other side; scikit-learn compares a feature as a float of 32 bits and the code compares all
# digits, so 0.15 gets another answer; of a model of lightgbm 4.7.0 in JavaScript NaN and undefined are missing but null, as
# JSON writes a missing value, is zero.
# Guess before the run: the answers of the model.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'm2cgen==0.10.0' 'scikit-learn==1.9.1' 'lightgbm==4.7.0'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import warnings

import m2cgen
import numpy
from lightgbm import LGBMRegressor
from sklearn.tree import DecisionTreeRegressor

warnings.simplefilter("ignore")


def compare(name, model, value):
    names = {}
    exec(m2cgen.export_to_python(model), names)
    print(name, value, "model", float(model.predict([[value]])[0]), "code", float(names["score"]([value])))


tree = DecisionTreeRegressor().fit(numpy.array([[1.0], [2.0], [numpy.nan]]), [0, 1, 0])
for value in (1.0, 2.0, float("nan")):
    compare("missing", tree, value)
tree = DecisionTreeRegressor().fit(numpy.array([[0.1], [0.2], [0.3]]), [0, 1, 2])
for value in (0.14, 0.15, 0.16):
    compare("digits", tree, value)
table = numpy.array([[float(i)] for i in range(200)] + [[numpy.nan]] * 100)
model = LGBMRegressor(n_estimators=3, learning_rate=1, verbose=-1, min_child_samples=5).fit(table, [0.0] * 100 + [10.0] * 200)
with open("model.js", "w") as code:
    code.write(m2cgen.export_to_javascript(model) + "module.exports = score;")
PROGRAM
cat >program.mjs <<'PROGRAM'
import { createRequire } from "module";
import { writeFileSync } from "fs";

writeFileSync("package.json", "{}");
const score = createRequire(import.meta.url)("./model.js");
for (const value of [50, 150, NaN, undefined, null]) console.log("JavaScript", value, Math.round(score([value])));
PROGRAM
node program.mjs >>seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
missing 1.0 model 0.0 code 0.0
missing 2.0 model 1.0 code 1.0
missing nan model 0.0 code 1.0
digits 0.14 model 0.0 code 0.0
digits 0.15 model 1.0 code 0.0
digits 0.16 model 1.0 code 1.0
JavaScript 50 0
JavaScript 150 10
JavaScript NaN 10
JavaScript undefined 10
JavaScript null 0
SEEN
echo "seen as described"
