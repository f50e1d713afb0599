#!/usr/bin/env bash
# speechmarkdown-js 2.1.1 (npm) takes hyphens and pluses of plain prompts for emphasis: `10-12 pieces - fresh` is said as
# `1012 pieces fresh`, `2 - 3 or 4 - 5` as `2 3 or 4 5`, `+1 dip and 2+ fries` loses both signs. `2-3 burgers or 4-5 fries`
# stays.
# Guess before the run: marks count at the edge of words only, as in Markdown.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . speechmarkdown-js@2.1.1
cat >program.mjs <<'PROGRAM'
import speech from "speechmarkdown-js";

const reader = new speech.SpeechMarkdown();
for (const prompt of ["10-12 pieces - fresh", "2 - 3 or 4 - 5", "+1 dip and 2+ fries", "2-3 burgers or 4-5 fries"]) {
  console.log(prompt, "|", reader.toText(prompt), "|", reader.toSSML(prompt, { platform: "amazon-alexa" }).replaceAll("\n", ""));
}
PROGRAM
node program.mjs >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
10-12 pieces - fresh | 1012 pieces fresh | <speak>10<emphasis level="reduced">12 pieces </emphasis> fresh</speak>
2 - 3 or 4 - 5 | 2 3 or 4 5 | <speak>2 <emphasis level="reduced"> 3 or 4 </emphasis> 5</speak>
+1 dip and 2+ fries | 1 dip and 2 fries | <speak><emphasis level="moderate">1 dip and 2</emphasis> fries</speak>
2-3 burgers or 4-5 fries | 2-3 burgers or 4-5 fries | <speak>2-3 burgers or 4-5 fries</speak>
SEEN
echo "seen as described"
