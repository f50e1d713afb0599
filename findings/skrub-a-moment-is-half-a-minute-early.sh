#!/usr/bin/env bash
# Moments and postcodes as features, skrub 0.11.0 (PyPI): the encoder of moments writes seconds since 1970 as floats of 32
# bits, so 10:00:00 is 32 seconds early and a change of a minute may be none or two; TableVectorizer makes the number 501 of
# a column of postcodes as "00501", and categories of a column of prices when one is "1,000".
# Guess before the run: exact seconds, and postcodes that stay texts as they begin with 0.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'skrub==0.11.0' 'pandas==3.1.1'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import warnings

import pandas
import skrub

warnings.simplefilter("ignore")
moments = pandas.Series(pandas.to_datetime(["2026-11-29 10:00", "2026-11-29 10:01", "2026-11-29 10:02", "2026-11-29 10:03"]), name="at")
seconds = skrub.DatetimeEncoder().fit_transform(moments)["at_total_seconds"]
for moment, second in zip(moments, seconds):
    print(moment, int(second), int(second) - int(moment.timestamp()), seconds.dtype)
table = pandas.DataFrame({"postcode": ["00501", "08001", "10001"], "price": ["1,000", "2", "3"]})
print(skrub.TableVectorizer().fit_transform(table).head(1).to_dict("list"))
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
2026-11-29 10:00:00 1795946368 -32 float32
2026-11-29 10:01:00 1795946496 36 float32
2026-11-29 10:02:00 1795946496 -24 float32
2026-11-29 10:03:00 1795946624 44 float32
{'postcode': [501.0], 'price_1,000': [1.0], 'price_2': [0.0], 'price_3': [0.0]}
SEEN
echo "seen as described"
