#!/usr/bin/env bash
# Texts of an agent in ICU messages: of -1 intl-messageformat 12.1.5 (npm) makes the singular "one item",
# @messageformat/core 3.4.1 (npm) "-1 items". {n, number, currency} is an error for the first and dollars without a word for
# the second; null is nothing or the word null, and <b> is an argument that is missing or a text.
# Guess before the run: the same texts; an error for a currency that is not named.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . intl-messageformat@12.1.5 @messageformat/core@3.4.1
cat >program.mjs <<'PROGRAM'
import MessageFormat from "@messageformat/core";
import { IntlMessageFormat } from "intl-messageformat";

const messages = [
  ["{n, plural, one {one item} other {# items}}", -1],
  ["{n, plural, one {one item} other {# items}}", 1],
  ["{n, number, currency}", 8.5],
  ["[{n}]", null],
  ["<b>{n}</b>", 5],
];
const show = (name, text, n, format) => {
  let seen = "error";
  try {
    seen = format();
  } catch {}
  console.log(name, text, n, "->", seen);
};
for (const [text, n] of messages) {
  show("intl-messageformat", text, n, () => new IntlMessageFormat(text, "en").format({ n }));
  show("@messageformat/core", text, n, () => new MessageFormat("en").compile(text)({ n }));
}
PROGRAM
node program.mjs >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
intl-messageformat {n, plural, one {one item} other {# items}} -1 -> one item
@messageformat/core {n, plural, one {one item} other {# items}} -1 -> -1 items
intl-messageformat {n, plural, one {one item} other {# items}} 1 -> one item
@messageformat/core {n, plural, one {one item} other {# items}} 1 -> one item
intl-messageformat {n, number, currency} 8.5 -> error
@messageformat/core {n, number, currency} 8.5 -> $8.50
intl-messageformat [{n}] null -> []
@messageformat/core [{n}] null -> [null]
intl-messageformat <b>{n}</b> 5 -> error
@messageformat/core <b>{n}</b> 5 -> <b>5</b>
SEEN
echo "seen as described"
