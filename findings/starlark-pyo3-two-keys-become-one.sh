#!/usr/bin/env bash
# True and 1 are two keys of a dict of Starlark and one of Python, so that a value which starlark-pyo3 2026.1.3 (PyPI)
# hands over loses an entry without an error: a table of 0 and False has two entries in the configuration and one in the
# program. Infinity and NaN arrive as None, and tuples as lists, which refuses a dict with a tuple for a key.
# Guess before the run: two entries, or an error.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'starlark-pyo3==2026.1.3'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import starlark


def value(text):
    return starlark.eval(starlark.Module(), starlark.parse("menu.star", text), starlark.Globals.standard())


for text in ("True == 1", "len({0: 'zero', False: 'no'})", "{0: 'zero', False: 'no'}", "1e308 * 10", "float('nan')", "(1, 2)"):
    print(text, "->", value(text))
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
True == 1 -> False
len({0: 'zero', False: 'no'}) -> 2
{0: 'zero', False: 'no'} -> {0: 'no'}
1e308 * 10 -> None
float('nan') -> None
(1, 2) -> [1, 2]
SEEN
echo "seen as described"
