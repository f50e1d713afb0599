#!/usr/bin/env bash
# Babel 2.19.0 reads back the times that it writes itself, parse_time of format_time for 17:30: in most languages with two
# halves of the day the afternoon becomes the morning, as it looks for am and pm alone; in English "5:30 p.m." is the morning,
# and "half past 5" five o'clock.
# Guess before the run: 17:30 from every text that it wrote, as both use one format of CLDR.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'babel==2.19.0'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import datetime

from babel.dates import format_time, parse_time

afternoon = datetime.time(17, 30)
for locale in ("en_US", "de", "zh_Hant", "ko", "el", "hi", "ar_EG", "es_MX", "am"):
    text = format_time(afternoon, "short", locale=locale)
    try:
        found = parse_time(text, locale=locale)
    except Exception as error:
        found = type(error).__name__
    print(locale, ascii(text), "->", found)
for text in ("5:30 pm", "5:30 p.m.", "half past 5", "17:30"):
    print("en", text, "->", parse_time(text, locale="en"))
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
en_US '5:30\u202fPM' -> 17:30:00
de '17:30' -> 17:30:00
zh_Hant '\u4e0b\u53485:30' -> 05:30:00
ko '\uc624\ud6c4 5:30' -> 05:30:00
el '5:30\u202f\u03bc.\u03bc.' -> 05:30:00
hi '5:30 pm' -> 17:30:00
ar_EG '5:30 \u0645' -> 05:30:00
es_MX '5:30\u202fp.m.' -> 05:30:00
am '5:30 \u12a8\u1230\u12d3\u1275' -> 05:30:00
en 5:30 pm -> 17:30:00
en 5:30 p.m. -> 05:30:00
en half past 5 -> 05:00:00
en 17:30 -> 17:30:00
SEEN
echo "seen as described"
