#!/usr/bin/env bash
# lsprotocol 2025.0.0 reads an answer with code actions as the commands of the first versions of the protocol wherever an
# action has a command: the command becomes the text of a Python dictionary, and kind, edit and diagnostics are lost.
# Actions without a command are read as they are. The field tells the two apart: it is a text only in a command.
# Guess before the run: an action with a title, a kind and a command object is a code action.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'lsprotocol==2025.0.0' 'cattrs==26.2.1'
venv/bin/python - >seen <<'PROGRAM'
import json
from lsprotocol import converters, types

converter = converters.get_converter()
edited = {"title": "Write 4", "kind": "quickfix", "edit": {"changes": {}}}
running = {"title": "Write 4", "kind": "quickfix", "edit": {"changes": {}}, "command": {"title": "Show", "command": "show"}}
answer = {"id": 1, "jsonrpc": "2.0", "result": [edited, running]}
read = converter.structure(answer, types.CodeActionResponse)
for action in read.result:
    print(type(action).__name__, json.dumps(converter.unstructure(action), sort_keys=True))
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
CodeAction {"edit": {"changes": {}}, "kind": "quickfix", "title": "Write 4"}
Command {"command": "{'title': 'Show', 'command': 'show'}", "title": "Write 4"}
SEEN
echo "seen as described"
