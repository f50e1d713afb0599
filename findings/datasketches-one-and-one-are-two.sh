#!/usr/bin/env bash
# Distinct values by a sketch, datasketches 5.2.0 (PyPI): the integer 1 and the double 1.0 are two values, 1 and True are
# one, an empty text is none, and NaN is left out by the sketch of quantiles that counts the others.
# Guess before the run: values that are equal are one, and an empty text is a value.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'datasketches==5.2.0'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import datasketches


def distinct(*values):
    sketch = datasketches.hll_sketch(12)
    for value in values:
        sketch.update(value)
    return round(sketch.get_estimate())


for values in ((1, 1.0), (1, True), (0.0, -0.0), ("",), ("", "a")):
    print(values, distinct(*values))
sketch = datasketches.kll_floats_sketch(200)
for value in (1.0, float("nan"), 3.0):
    sketch.update(value)
print("values of the sketch of quantiles:", sketch.n)
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
(1, 1.0) 2
(1, True) 1
(0.0, -0.0) 1
('',) 0
('', 'a') 1
values of the sketch of quantiles: 2
SEEN
echo "seen as described"
