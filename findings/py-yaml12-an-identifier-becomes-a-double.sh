#!/usr/bin/env bash
# Four readers of YAML 1.2 for Python: py-yaml12 0.2.0, ryaml 0.5.1 and yaml-rs 0.1.6, written in Rust, and yamlcore 0.0.4
# (PyPI). An integer beyond 2^63 is a double for the first, and an error for the second beyond 2^64; of a key that is there
# twice the first takes the last value, and of two documents the first one. 012 is a text for the second, as is 1e400; 1_000
# is 1000 and a day a date for the third, which makes a list of two documents. !!int "5" is a text for the first; the keys
# 1.0 and 1 are one for two of them, and a list whose end is not indented is an error for two.
# Guess before the run: the values of the core schema in all four, integers of any size in Python, errors for the keys and
# the second document.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'py-yaml12==0.2.0' 'ryaml==0.5.1' 'yaml-rs==0.1.6' \
  'yamlcore==0.0.4' 'pyyaml==6.0.4'
cat >program.py <<'PROGRAM'
import ryaml
import yaml
import yaml12
import yaml_rs
import yamlcore

readers = {"py-yaml12": yaml12.parse_yaml, "ryaml": ryaml.loads, "yaml-rs": yaml_rs.loads}
readers["yamlcore"] = lambda text: yaml.load(text, Loader=yamlcore.CoreLoader)
texts = ["9223372036854775808", "18446744073709551616", "012", "1_000", "1e400", "2026-11-30", "0b1", '!!int "5"']
for text in [*texts, "a: 1\na: 2", "{1.0: a, 1: b}", "--- 1\n--- 2", "a: [1,\n2]"]:
    answers = []
    for name, read in readers.items():
        try:
            answers.append(f"{name} {read(text)!r}")
        except Exception:
            answers.append(f"{name} error")
    print(repr(text), *answers, sep=" | ")
PROGRAM
venv/bin/python program.py >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
'9223372036854775808' | py-yaml12 9.223372036854776e+18 | ryaml 9223372036854775808 | yaml-rs 9223372036854775808 | yamlcore 9223372036854775808
'18446744073709551616' | py-yaml12 1.8446744073709552e+19 | ryaml error | yaml-rs 18446744073709551616 | yamlcore 18446744073709551616
'012' | py-yaml12 12 | ryaml '012' | yaml-rs 12 | yamlcore 12
'1_000' | py-yaml12 '1_000' | ryaml '1_000' | yaml-rs 1000 | yamlcore '1_000'
'1e400' | py-yaml12 inf | ryaml '1e400' | yaml-rs inf | yamlcore inf
'2026-11-30' | py-yaml12 '2026-11-30' | ryaml '2026-11-30' | yaml-rs datetime.date(2026, 11, 30) | yamlcore '2026-11-30'
'0b1' | py-yaml12 '0b1' | ryaml 1 | yaml-rs 1 | yamlcore '0b1'
'!!int "5"' | py-yaml12 '5' | ryaml 5 | yaml-rs 5 | yamlcore 5
'a: 1\na: 2' | py-yaml12 {'a': 2} | ryaml error | yaml-rs error | yamlcore error
'{1.0: a, 1: b}' | py-yaml12 {1.0: 'b'} | ryaml {1.0: 'b'} | yaml-rs error | yamlcore error
'--- 1\n--- 2' | py-yaml12 1 | ryaml error | yaml-rs [1, 2] | yamlcore error
'a: [1,\n2]' | py-yaml12 error | ryaml {'a': [1, 2]} | yaml-rs error | yamlcore {'a': [1, 2]}
SEEN
echo "seen as described"
