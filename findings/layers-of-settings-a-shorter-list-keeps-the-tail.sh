#!/usr/bin/env bash
# Layers of settings, a list of three below and a list of one above: lodash.merge 4.6.2 (npm) replaces the first item and
# keeps the other two, and an empty list changes nothing; deepmerge 4.3.1 and ts-deepmerge 8.0.0 (npm) append, defu 6.1.7
# (npm) prepends, and jsonmerge 1.9.2, mergedeep 1.3.4 and omegaconf 2.4.0 (PyPI) replace. A null above removes what is
# below for all but defu, for which it is as if it were not there.
# Guess before the run: all replace a list, and a null counts.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'jsonmerge==1.9.2' 'mergedeep==1.3.4' 'omegaconf==2.4.0'
npm install --silent --no-audit --no-fund --prefix . lodash.merge@4.6.2 deepmerge@4.3.1 ts-deepmerge@8.0.0 defu@6.1.7
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import jsonmerge
import mergedeep
from omegaconf import OmegaConf

merges = {
    "jsonmerge": jsonmerge.merge,
    "mergedeep": lambda low, high: mergedeep.merge({}, low, high),
    "omegaconf": lambda low, high: OmegaConf.to_container(OmegaConf.merge(low, high)),
}
for name, merge in merges.items():
    print(name, *(merge({"a": [1, 2, 3]}, {"a": high})["a"] for high in ([9], [], None)))
PROGRAM
cat >program.mjs <<'PROGRAM'
import deepmerge from "deepmerge";
import { defu } from "defu";
import merge from "lodash.merge";
import * as ts from "ts-deepmerge";

const merges = { "lodash.merge": (low, high) => merge({}, low, high), deepmerge, "ts-deepmerge": ts.merge, defu: (low, high) => defu(high, low) };
for (const [name, join] of Object.entries(merges)) console.log(name, ...[[9], [], null].map((high) => JSON.stringify(join({ a: [1, 2, 3] }, { a: high }).a)));
PROGRAM
node program.mjs >>seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
jsonmerge [9] [] None
mergedeep [9] [] None
omegaconf [9] [] None
lodash.merge [9,2,3] [1,2,3] null
deepmerge [1,2,3,9] [1,2,3] null
ts-deepmerge [1,2,3,9] [1,2,3] null
defu [9,1,2,3] [1,2,3] [1,2,3]
SEEN
echo "seen as described"
