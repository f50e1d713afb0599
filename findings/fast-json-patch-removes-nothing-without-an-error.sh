#!/usr/bin/env bash
# fast-json-patch 3.1.1 (npm) as it is used by default: removing /items/- or /items/3 of three items changes nothing and is no
# error, and /items/01 is read as /items/1. RFC 6902 asks for a target that exists, RFC 6901 for indexes without leading zeros;
# jsonpatch 1.48 (PyPI) refuses all three, and so does fast-json-patch where its validation, an argument, is on.
# Guess before the run: errors in both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . fast-json-patch@3.1.1
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check jsonpatch==1.48
cat >program.mjs <<'PROGRAM'
import patches from "fast-json-patch";

for (const path of ["/items/-", "/items/01", "/items/3"]) {
  try {
    const { newDocument } = patches.applyPatch({ items: [1, 2, 3] }, [{ op: "remove", path }]);
    console.log(path, JSON.stringify(newDocument.items));
  } catch (error) {
    console.log(path, error.name);
  }
}
PROGRAM
{
  echo "fast-json-patch"
  node program.mjs
  echo "jsonpatch"
  venv/bin/python - <<'PROGRAM'
import jsonpatch

for path in ("/items/-", "/items/01", "/items/3"):
    try:
        print(path, jsonpatch.apply_patch({"items": [1, 2, 3]}, [{"op": "remove", "path": path}])["items"])
    except Exception as error:
        print(path, type(error).__name__)
PROGRAM
} >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
fast-json-patch
/items/- [1,2,3]
/items/01 [1,3]
/items/3 [1,2,3]
jsonpatch
/items/- JsonPointerException
/items/01 JsonPointerException
/items/3 JsonPatchPathNotFound
SEEN
echo "seen as described"
