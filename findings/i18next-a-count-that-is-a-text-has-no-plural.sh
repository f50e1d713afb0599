#!/usr/bin/env bash
# The count of a prompt as the text "1", as parameters of a session often are: i18next 26.7.2 has no message at all and says
# the key, @fluent/bundle 0.19.1 takes the form for others, intl-messageformat 12.1.5 the form for one. A count of 1.5 or -1
# is no trouble for any.
# Guess before the run: the form for one in each, or an error.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . i18next@26.7.2 @fluent/bundle@0.19.1 intl-messageformat@12.1.5
cat >program.mjs <<'PROGRAM'
import i18next from "i18next";
import { FluentBundle, FluentResource } from "@fluent/bundle";
import { IntlMessageFormat } from "intl-messageformat";

await i18next.init({ lng: "en", resources: { en: { translation: { burgers_one: "{{count}} burger", burgers_other: "{{count}} burgers" } } } });
const fluent = new FluentBundle("en", { useIsolating: false });
fluent.addResource(new FluentResource("burgers = { $count ->\n    [one] { $count } burger\n   *[other] { $count } burgers\n }\n"));
const message = new IntlMessageFormat("{count, plural, one{# burger} other{# burgers}}", "en");
for (const count of [1, "1", 2, "2", 1.5, -1]) {
  console.log([JSON.stringify(count), i18next.t("burgers", { count }), fluent.formatPattern(fluent.getMessage("burgers").value, { count }), message.format({ count })].join(" | "));
}
PROGRAM
node program.mjs >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
1 | 1 burger | 1 burger | 1 burger
"1" | burgers | 1 burgers | 1 burger
2 | 2 burgers | 2 burgers | 2 burgers
"2" | burgers | 2 burgers | 2 burgers
1.5 | 1.5 burgers | 1.5 burgers | 1.5 burgers
-1 | -1 burger | -1 burger | -1 burger
SEEN
echo "seen as described"
