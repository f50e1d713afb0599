#!/usr/bin/env bash
# Policies in Rego by regopy 1.5.2 (PyPI, rego-cpp): "a" < 1 is true and null < 1 is false; the language orders null,
# booleans, numbers, texts. YAML that it reads: 1e3, +5, .5, 0o17, True and ~ are texts, 0x1F is 31, and 010 is written as
# 010, so the answer of the query is no JSON and raises an error.
# Guess before the run: null < 1 and 1 < "a"; 1000, 5, 0.5, 15, true and null.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'regopy==1.5.2'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
from regopy import Interpreter

rego = Interpreter()
for text in ('1 < "a"', '"a" < 1', "null < 1", "true < 1", '[1] < "a"'):
    print(text, rego.query("x := " + text).results[0].bindings["x"])
for value in ("1e3", "+5", ".5", "0o17", "0x1F", "True", "~", "010"):
    try:
        print("a:", value, rego.query(f'x := yaml.unmarshal("a: {value}")').results[0].bindings["x"])
    except ValueError:
        print("a:", value, "no JSON")
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
1 < "a" False
"a" < 1 True
null < 1 False
true < 1 False
[1] < "a" False
a: 1e3 {'a': '1e3'}
a: +5 {'a': '+5'}
a: .5 {'a': '.5'}
a: 0o17 {'a': '0o17'}
a: 0x1F {'a': 31}
a: True {'a': 'True'}
a: ~ {'a': '~'}
a: 010 no JSON
SEEN
echo "seen as described"
