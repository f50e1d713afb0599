#!/usr/bin/env bash
# pyhocon 0.3.63 makes a span of time of a value that is a whole number and a unit: `5 m` is five minutes, `2 w` a fortnight.
# `1.5 h`, `-5 d` and `5 mo` stay texts, so a value is one type or the other by its digits (months are spans where dateutil is
# installed). 010 is the number 10, 0x1F a text.
# Guess before the run: texts; what reads them asks for a duration.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check pyhocon==0.3.63
venv/bin/python - >seen <<'PROGRAM'
import pyhocon

for value in ("5 m", "5 mo", "2 w", "5d", "1.5 h", "-5 d", "1 yard", "010", "0x1F", "1_000"):
    print(value, "|", repr(pyhocon.ConfigFactory.parse_string(f"length = {value}")["length"]))
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
5 m | datetime.timedelta(seconds=300)
5 mo | '5 mo'
2 w | datetime.timedelta(days=14)
5d | datetime.timedelta(days=5)
1.5 h | '1.5 h'
-5 d | '-5 d'
1 yard | '1 yard'
010 | 10
0x1F | '0x1F'
1_000 | '1_000'
SEEN
echo "seen as described"
