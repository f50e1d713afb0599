#!/usr/bin/env bash
# Dates and numbers of voice assistants, ovos-date-parser 0.29.0 and ovos-number-parser 0.19.13 (PyPI): said in the morning,
# "on the 3rd" is today at 15:00, "quarter past nine in the evening" is 19:00, and "ten to six" is 18:00; "an hour" is no
# duration, and "ten to twenty minutes" are twenty. "point five" is 5, "one twenty five" 25, "five ninety nine" 99, and "1 1/2
# cups" one.
# Guess before the run: the third day of the next month, 21:15 and 17:50; an hour; 0.5, 125 and 1.5.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'ovos-date-parser==0.29.0' 'ovos-number-parser==0.19.13'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import datetime

from ovos_date_parser import extract_datetime, extract_duration
from ovos_number_parser import extract_number

now = datetime.datetime(2026, 11, 30, 10, 0)
for words in ("on the 3rd", "quarter past nine in the evening", "ten to six", "tonight at 8", "in an hour and a half", "december 25"):
    found = extract_datetime(words, lang="en", anchorDate=now)
    print(words, "->", found and f"{found[0]:%Y-%m-%d %H:%M}", found and repr(found[1]))
for words in ("an hour", "half an hour", "an hour and a half", "ten to twenty minutes"):
    print(words, "->", extract_duration(words, lang="en")[0])
for words in ("point five", "two point five", "one twenty five", "five ninety nine", "1 1/2 cups", "half a dozen wings"):
    print(words, "->", extract_number(words, lang="en"))
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
on the 3rd -> 2026-11-30 15:00 ''
quarter past nine in the evening -> 2026-11-30 19:00 'quarter past nine'
ten to six -> 2026-11-30 18:00 '10 to'
tonight at 8 -> 2026-11-30 20:00 ''
in an hour and a half -> 2026-11-30 11:00 'and half'
december 25 -> 2026-12-25 00:00 ''
an hour -> None
half an hour -> 0:30:00
an hour and a half -> None
ten to twenty minutes -> 0:20:00
point five -> 5
two point five -> 2.5
one twenty five -> 25
five ninety nine -> 99
1 1/2 cups -> 1
half a dozen wings -> 0.5
SEEN
echo "seen as described"
