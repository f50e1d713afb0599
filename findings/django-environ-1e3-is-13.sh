#!/usr/bin/env bash
# Settings from variables of the environment by django-environ 0.14.0 (PyPI): float() takes out what is no digit and reads the
# last point or comma as that of decimals, so 1e3 is 13, 0x10 is 10, 1,234,567 is 1234.567 and 8.50 USD is 8.5; int() refuses
# such texts. A bool of enabled, active or t is False without a word; 2 is True.
# Guess before the run: 1000 for 1e3, as Python reads it, and an error for a bool that is no known word.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'django-environ==0.14.0'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import os

import environ

env = environ.Env()
def read(kind, text):
    os.environ["SETTING"] = text
    try:
        return getattr(env, kind)("SETTING")
    except Exception as error:
        return type(error).__name__

for text in ("1e3", "0x10", "1.299", "1.234.567", "1,234,567", "1,299.50", "8,50", "8.50 USD", "1-2"):
    print(text, "float", read("float", text), "int", read("int", text))
for text in ("yes", "enabled", "active", "t", "2", "0.0"):
    print(text, "bool", read("bool", text))
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
1e3 float 13.0 int ValueError
0x10 float 10.0 int ValueError
1.299 float 1.299 int ValueError
1.234.567 float 1234.567 int ValueError
1,234,567 float 1234.567 int ValueError
1,299.50 float 1299.5 int ValueError
8,50 float 8.5 int ValueError
8.50 USD float 8.5 int ValueError
1-2 float ValueError int ValueError
yes bool True
enabled bool False
active bool False
t bool False
2 bool True
0.0 bool False
SEEN
echo "seen as described"
