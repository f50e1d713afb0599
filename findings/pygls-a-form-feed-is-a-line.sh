#!/usr/bin/env bash
# Lines of a document of the editor's protocol, which end at CR, LF or both and at nothing else: pygls 2.1.1 (PyPI) also
# counts one at a form feed, a vertical tab, U+001C, U+0085 and U+2028, so positions of a client mean other places below it;
# vscode-languageserver-textdocument 1.0.16 (npm), of the editor, does not. The editor's edits at a position within an emoji
# split it.
# Guess before the run: three ends of lines in both, as the specification lists them.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . vscode-languageserver-textdocument@1.0.16
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check pygls==2.1.1
cat >program.mjs <<'PROGRAM'
import fs from "node:fs";
import { TextDocument } from "vscode-languageserver-textdocument";

for (const text of JSON.parse(fs.readFileSync("texts.json"))) {
  const document = TextDocument.create("file:///menu.yaml", "yaml", 1, text);
  console.log("editor", escape(text), document.lineCount, document.offsetAt({ line: 1, character: 0 }));
}
const at = { line: 0, character: 1 };
const emoji = TextDocument.create("file:///menu.yaml", "yaml", 1, "\u{1f600}");
console.log("editor", JSON.stringify(TextDocument.applyEdits(emoji, [{ range: { start: at, end: at }, newText: "-" }])));
PROGRAM
venv/bin/python - >seen <<'PROGRAM'
import json
from lsprotocol.types import Position
from pygls.workspace import TextDocument

texts = ["a\rb\nc", "a\r\nb\nc", "a\u2028b\nc", "a\u0085b\nc", "a\x0cb\nc", "a\x0bb\nc", "a\x1cb\nc"]
for text in texts:
    document = TextDocument("file:///menu.yaml", text)
    print("pygls", ascii(text), len(document.lines), document.offset_at_position(Position(1, 0)))
with open("texts.json", "w") as file:
    json.dump(texts, file)
PROGRAM
node program.mjs >>seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
pygls 'a\rb\nc' 3 2
pygls 'a\r\nb\nc' 3 3
pygls 'a\u2028b\nc' 3 2
pygls 'a\x85b\nc' 3 2
pygls 'a\x0cb\nc' 3 2
pygls 'a\x0bb\nc' 3 2
pygls 'a\x1cb\nc' 3 2
editor a%0Db%0Ac 3 2
editor a%0D%0Ab%0Ac 3 3
editor a%u2028b%0Ac 2 4
editor a%85b%0Ac 2 4
editor a%0Cb%0Ac 2 4
editor a%0Bb%0Ac 2 4
editor a%1Cb%0Ac 2 4
editor "\ud83d-\ude00"
SEEN
echo "seen as described"
