#!/usr/bin/env bash
# Changes between two documents by dictdiffer 0.10.0, jsondiff 2.2.1 and jycm 1.5.0 (PyPI): dictdiffer compares integers as
# doubles with a tolerance, so ids above 2^53, or moments in nanoseconds, that differ in the last digits are no change, and
# NaN is equal to NaN for it alone. A number 1 that becomes true, and a 0 that becomes false, are no change for any of the
# three.
# Guess before the run: integers are exact; true is not 1 in JSON, so it is a change.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check dictdiffer==0.10.0 jsondiff==2.2.1 jycm==1.5.0
venv/bin/python - >seen <<'PROGRAM'
import dictdiffer
import jsondiff
from jycm.jycm import YouchamaJsonDiffer

pairs = ((9007199254740992, 9007199254740993), (1767225600000000001, 1767225600000000100), (1, True), (0, False), (float("nan"), float("nan")), (1, "1"))
for before, after in pairs:
    changed = {
        "dictdiffer": bool(list(dictdiffer.diff({"value": before}, {"value": after}))),
        "jsondiff": bool(jsondiff.diff({"value": before}, {"value": after})),
        "jycm": bool(set(YouchamaJsonDiffer({"value": before}, {"value": after}).get_diff()) - {"just4vis:pairs"}),
    }
    print(repr(before), repr(after), ", ".join(name for name, differs in changed.items() if differs) or "no change")
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
9007199254740992 9007199254740993 jsondiff, jycm
1767225600000000001 1767225600000000100 jsondiff, jycm
1 True no change
0 False no change
nan nan jsondiff, jycm
1 '1' dictdiffer, jsondiff, jycm
SEEN
echo "seen as described"
