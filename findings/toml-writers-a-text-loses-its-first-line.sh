#!/usr/bin/env bash
# Settings written as TOML by five packages and read by tomli 2.5.0 (PyPI): pytomlpp 1.1.0 loses the empty first line of a
# text, as it writes it behind the three quotes, where TOML drops it; rtoml 0.14.0 writes None as the text "null" and bytes
# as a list of numbers; tomli-w 1.2.0 and tomlkit 0.15.2 write the offset of Amsterdam before 1937, with seconds, which no
# reader takes, while pytomlpp and toml-rs 0.4.3 cut the seconds, so the moment moves; all but tomli-w drop the zone of a
# time of day.
# Guess before the run: what comes back is what was written, or an error when it is written.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'pytomlpp==1.1.0' 'rtoml==0.14.0' 'tomli-w==1.2.0' \
  'tomlkit==0.15.2' 'toml-rs==0.4.3' 'tomli==2.5.0'
cat >program.py <<'PROGRAM'
from datetime import datetime, time, timedelta, timezone

import pytomlpp
import rtoml
import toml_rs
import tomli
import tomli_w
import tomlkit

writers = {"pytomlpp": pytomlpp, "rtoml": rtoml, "tomli-w": tomli_w, "tomlkit": tomlkit, "toml-rs": toml_rs}
amsterdam, kolkata = timezone(timedelta(minutes=19, seconds=32)), timezone(timedelta(hours=5, minutes=30))
values = {"text": "\nMenu", "none": None, "bytes": b"ab", "moment": datetime(1930, 1, 1, 12, tzinfo=amsterdam)}
values |= {"time": time(12, 30, tzinfo=kolkata), "float": 1e20}
for key, value in values.items():
    for name, writer in writers.items():
        try:
            text = writer.dumps({"value": value})
        except Exception:
            print(key, name, "refused")
            continue
        try:
            again = tomli.loads(text)["value"]
            print(key, name, text.strip().splitlines(), "as it was" if repr(again) == repr(value) else f"read as {again}")
        except tomli.TOMLDecodeError:
            print(key, name, text.strip().splitlines(), "cannot be read")
PROGRAM
venv/bin/python program.py >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
text pytomlpp ["value = '''", "Menu'''"] read as Menu
text rtoml ['value = """', '', 'Menu"""'] as it was
text tomli-w ['value = "\\nMenu"'] as it was
text tomlkit ['value = "\\nMenu"'] as it was
text toml-rs ['value = """', '', 'Menu"""'] as it was
none pytomlpp refused
none rtoml ['value = "null"'] read as null
none tomli-w refused
none tomlkit refused
none toml-rs refused
bytes pytomlpp refused
bytes rtoml ['value = [97, 98]'] read as [97, 98]
bytes tomli-w refused
bytes tomlkit refused
bytes toml-rs refused
moment pytomlpp ['value = 1930-01-01T12:00:00+00:19'] read as 1930-01-01 12:00:00+00:19
moment rtoml refused
moment tomli-w ['value = 1930-01-01 12:00:00+00:19:32'] cannot be read
moment tomlkit ['value = 1930-01-01T12:00:00+00:19:32'] cannot be read
moment toml-rs ['value = 1930-01-01T12:00:00.0+00:19'] read as 1930-01-01 12:00:00+00:19
time pytomlpp ['value = 12:30:00'] read as 12:30:00
time rtoml ['value = 12:30:00'] read as 12:30:00
time tomli-w refused
time tomlkit ['value = 12:30:00'] read as 12:30:00
time toml-rs ['value = 12:30:00.0'] read as 12:30:00
float pytomlpp ['value = 1e+20'] as it was
float rtoml ['value = 100000000000000000000.0'] as it was
float tomli-w ['value = 1e+20'] as it was
float tomlkit ['value = 1e+20'] as it was
float toml-rs ['value = 1e+20'] as it was
SEEN
echo "seen as described"
