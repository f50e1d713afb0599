#!/usr/bin/env bash
# Features over windows of a stream, river 0.26.1 (PyPI): a mean or a sum over the last two prices takes back what leaves the
# window by subtraction, so one NaN makes every later window NaN, and behind one number of 1e16 the sum of two ones is 1.0
# for ever and their mean 0.5. Max and Min have no such way and raise. An item that was never seen has the mean price 0.0,
# and the greatest of no price is minus infinity.
# Guess before the run: 2.0 once the NaN is out, 2.0 and 1.0 for the ones; None for what was never seen.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'river==0.26.1'
cat >program.py <<'PROGRAM'
import math

from river import feature_extraction, stats, utils


def windows(statistic, size, values):
    rolling, seen = utils.Rolling(statistic, window_size=size), []
    for value in values:
        rolling.update(value)
        seen.append(rolling.get())
    return seen


print("means of two:", windows(stats.Mean(), 2, [math.nan, 1.0, 3.0, 5.0]))
print("sums of two:", windows(stats.Sum(), 2, [1e16, 1.0, 1.0, 1.0]))
print("means of two:", windows(stats.Mean(), 2, [1e16, 1.0, 1.0, 1.0]))
try:
    print("maxima of two:", windows(stats.Max(), 2, [1.0, 3.0, 2.0]))
except Exception as error:
    print("maxima of two:", type(error).__name__)
prices = feature_extraction.Agg(on="price", by="item", how=stats.Mean())
prices.learn_one({"item": "fries", "price": 3.5})
print("mean price:", *prices.transform_one({"item": "fries"}).values(), *prices.transform_one({"item": "cola"}).values())
print("greatest and least of none:", stats.Max().get(), stats.Min().get())
PROGRAM
venv/bin/python program.py >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
means of two: [nan, nan, nan, nan]
sums of two: [1e+16, 1e+16, 1.0, 1.0]
means of two: [1e+16, 5000000000000000.0, 0.5, 0.5]
maxima of two: ValueError
mean price: 3.5 0.0
greatest and least of none: -inf inf
SEEN
echo "seen as described"
