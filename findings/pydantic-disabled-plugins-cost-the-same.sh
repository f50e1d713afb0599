#!/usr/bin/env bash
# pydantic 2.14.4, told by PYDANTIC_DISABLE_PLUGINS=__all__ that no plugin counts, imports importlib.metadata and with it
# the whole of email all the same as soon as a model is declared: the list of plugins is not looked for, its reader is.
# Guess before the run: where plugins are disabled, what looks for them is not imported.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'pydantic==2.14.4'
for disabled in "" __all__; do
  PYDANTIC_DISABLE_PLUGINS=$disabled venv/bin/python - >>seen <<'PROGRAM'
import os, sys
import pydantic

class Order(pydantic.BaseModel):
    size: int

print(repr(os.environ["PYDANTIC_DISABLE_PLUGINS"]), *("importlib.metadata" in sys.modules, "email" in sys.modules))
PROGRAM
done
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
'' True True
'__all__' True True
SEEN
echo "seen as described"
