#!/usr/bin/env bash
# One value in a file, read by OmegaConf 2.3.1, and in an override on the command line, read by Hydra 1.3.8: a time of day is
# 750 in the file and a text in the override; 010 is 8 or a text; on is true or a text; nan is a text or a number; an integer
# of 31 in hexadecimal is a number or a text.
# Guess before the run: one grammar for both, since an override replaces the value of the file.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check omegaconf==2.3.1 hydra-core==1.3.8
venv/bin/python - >seen <<'PROGRAM'
from hydra.core.override_parser.overrides_parser import OverridesParser
from omegaconf import OmegaConf

overrides = OverridesParser.create()
for text in ("12:30", "1:30:00", "010", "on", "nan", "0x1F", "0b11", "1e3", "1_000", "1.5"):
    print(text, repr(OmegaConf.create(f"value: {text}").value), repr(overrides.parse_override(f"value={text}").value()))
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
12:30 750 '12:30'
1:30:00 5400 '1:30:00'
010 8 '010'
on True 'on'
nan 'nan' nan
0x1F 31 '0x1F'
0b11 3 '0b11'
1e3 1000.0 1000.0
1_000 1000 1000
1.5 1.5 1.5
SEEN
echo "seen as described"
