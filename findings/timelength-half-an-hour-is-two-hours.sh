#!/usr/bin/env bash
# Spans of time by timelength 3.0.4, durationpy 0.11, humanfriendly 10.0 and pytimeparse2 1.7.1 (PyPI): "½ h" is two hours
# for timelength, PT5M five months, 1e3s three seconds, -5m and "5 minutes ago" are five minutes, an hour and a half an hour,
# and 1M a month, a minute for the last two. durationpy, made after Go, takes 1h-30m for 90 minutes, which Go refuses. A year
# has 364 days for humanfriendly and 365 for the others.
# Guess before the run: half an hour, five minutes, 1000 seconds, or an error each; one length of a year.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'timelength==3.0.4' 'durationpy==0.11' 'humanfriendly==10.0' \
  'pytimeparse2==1.7.1'
cat >program.py <<'PROGRAM'
import durationpy
import humanfriendly
import pytimeparse2
from timelength import TimeLength


def of_timelength(text):
    result = TimeLength(text).result
    return result.seconds if result.success else None


readers = {"timelength": of_timelength, "durationpy": lambda text: durationpy.from_str(text).total_seconds()}
readers |= {"humanfriendly": humanfriendly.parse_timespan, "pytimeparse2": pytimeparse2.parse}
for text in ("1.5h", "½ h", "PT5M", "1e3s", "-5m", "5 minutes ago", "an hour and a half", "1M", "1h-30m", "1h30", "1y"):
    answers = []
    for name, read in readers.items():
        try:
            seconds = read(text)
        except Exception:
            seconds = None
        answers.append(f"{name} {'nothing' if seconds is None else format(seconds, 'g')}")
    print(text, *answers, sep=" | ")
PROGRAM
venv/bin/python program.py >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
1.5h | timelength 5400 | durationpy 5400 | humanfriendly 5400 | pytimeparse2 5400
½ h | timelength 7200 | durationpy nothing | humanfriendly nothing | pytimeparse2 nothing
PT5M | timelength 1.3176e+07 | durationpy nothing | humanfriendly nothing | pytimeparse2 nothing
1e3s | timelength 3 | durationpy nothing | humanfriendly nothing | pytimeparse2 nothing
-5m | timelength 300 | durationpy -300 | humanfriendly nothing | pytimeparse2 -300
5 minutes ago | timelength 300 | durationpy nothing | humanfriendly nothing | pytimeparse2 nothing
an hour and a half | timelength 3600 | durationpy nothing | humanfriendly nothing | pytimeparse2 nothing
1M | timelength 2.6352e+06 | durationpy nothing | humanfriendly 60 | pytimeparse2 60
1h-30m | timelength 5400 | durationpy 5400 | humanfriendly nothing | pytimeparse2 nothing
1h30 | timelength 3600 | durationpy nothing | humanfriendly nothing | pytimeparse2 nothing
1y | timelength 3.1536e+07 | durationpy 3.1536e+07 | humanfriendly 3.14496e+07 | pytimeparse2 3.1536e+07
SEEN
echo "seen as described"
