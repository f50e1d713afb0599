#!/usr/bin/env bash
# An edit whose range has its start and end exchanged: TextDocument.applyEdits of vscode-languageserver-textdocument 1.0.16 puts them
# in order; the function of the same name in vscode-languageserver-types 3.18.5 writes a part of the text twice. Neither has an error.
# Guess before the run: the same text from both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . vscode-languageserver-textdocument@1.0.16 vscode-languageserver-types@3.18.5
cat >program.mjs <<'PROGRAM'
import * as textdocument from "vscode-languageserver-textdocument";
import * as types from "vscode-languageserver-types";

const document = textdocument.TextDocument.create("file:///menu.yaml", "yaml", 1, "abc\ndef\n");
const edit = (start, end) => ({ range: { start: { line: 0, character: start }, end: { line: 0, character: end } }, newText: "Q" });
for (const [start, end] of [[0, 2], [2, 0]]) {
  const results = [textdocument, types].map((library) => JSON.stringify(library.TextDocument.applyEdits(document, [edit(start, end)])));
  console.log(`${start} to ${end}:`, ...results);
}
PROGRAM
node program.mjs >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
0 to 2: "Qc\ndef\n" "Qc\ndef\n"
2 to 0: "Qc\ndef\n" "abQabc\ndef\n"
SEEN
echo "seen as described"
