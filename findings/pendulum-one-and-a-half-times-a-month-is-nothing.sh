#!/usr/bin/env bash
# Pendulum 3.3.0 (PyPI) multiplies a duration by a float as one of days alone: one and a half times a month, two months or a
# year is nothing, with no error, and of two months and ten days it is 15 days, while 3 times is right. A trial prolonged by
# half ends on the day it began. An interval of ISO 8601 of a day and a month is a TypeError; with a time it is read.
# Guess before the run: one and a half times two months are three months (one month had been seen), and a year keeps a year.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check pendulum==3.3.0
cat >program.py <<'PROGRAM'
import pendulum

day = pendulum.datetime(2026, 1, 1)
for parts in ({"days": 10}, {"months": 1}, {"months": 2}, {"years": 1}, {"months": 2, "days": 10}):
    for factor in (1.5, 3):
        product = pendulum.duration(**parts) * factor
        print(parts, "times", factor, "->", product, "| after January 1:", (day + product).to_date_string())
for text in ("2026-01-31T12:00/P1M", "2026-01-31/P1M", "P1M/2026-03-31"):
    try:
        seen = pendulum.parse(text).end.to_date_string()
    except Exception as error:
        seen = f"{type(error).__name__}: {error}"
    print(text, "->", seen)
PROGRAM
venv/bin/python program.py >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
{'days': 10} times 1.5 -> 2 weeks 1 day | after January 1: 2026-01-16
{'days': 10} times 3 -> 4 weeks 2 days | after January 1: 2026-01-31
{'months': 1} times 1.5 -> 0 microseconds | after January 1: 2026-01-01
{'months': 1} times 3 -> 3 months | after January 1: 2026-04-01
{'months': 2} times 1.5 -> 0 microseconds | after January 1: 2026-01-01
{'months': 2} times 3 -> 6 months | after January 1: 2026-07-01
{'years': 1} times 1.5 -> 0 microseconds | after January 1: 2026-01-01
{'years': 1} times 3 -> 3 years | after January 1: 2029-01-01
{'months': 2, 'days': 10} times 1.5 -> 2 weeks 1 day | after January 1: 2026-01-16
{'months': 2, 'days': 10} times 3 -> 6 months 4 weeks 2 days | after January 1: 2026-07-31
2026-01-31T12:00/P1M -> 2026-02-28
2026-01-31/P1M -> TypeError: Date.add() got an unexpected keyword argument 'hours'
P1M/2026-03-31 -> TypeError: Date.subtract() got an unexpected keyword argument 'hours'
SEEN
echo "seen as described"
