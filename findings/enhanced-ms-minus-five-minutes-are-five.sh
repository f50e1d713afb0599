#!/usr/bin/env bash
# Spans of time by ms 2.1.3, itty-time 2.0.2, enhanced-ms 5.0.0, timestring 7.0.0 and human-interval 2.0.1 (npm), in seconds:
# -5m is plus five minutes for enhanced-ms and timestring, 1h-30m is 90 minutes and 1h30 an hour; 1,5h is fifteen hours for
# timestring; half an hour is 0 for human-interval, without an error, and "1 day 2h" a day; "5 m" is five milliseconds for
# itty-time. A month has three lengths, and 90 without a unit is 90 milliseconds.
# Guess before the run: what is not read as a whole is undefined, NaN or an error; the sign is kept.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . ms@2.1.3 itty-time@2.0.2 enhanced-ms@5.0.0 timestring@7.0.0 \
  human-interval@2.0.1
cat >program.mjs <<'PROGRAM'
import enhanced from "enhanced-ms";
import humanInterval from "human-interval";
import { ms as itty } from "itty-time";
import ms from "ms";
import timestring from "timestring";

const readers = { ms, "itty-time": itty, "enhanced-ms": enhanced, "human-interval": humanInterval };
readers.timestring = (text) => timestring(text, "ms");
const texts = ["5 minutes", "5 m", "-5m", "1h-30m", "1h30", "1,5h", "half an hour", "1 day 2h", "1 month", "90"];
for (const text of texts) {
  const answers = Object.entries(readers).map(([name, read]) => {
    let answer;
    try {
      answer = read(text);
    } catch {}
    return `${name} ${typeof answer === "number" && !isNaN(answer) ? answer / 1000 : "nothing"}`;
  });
  console.log(text, "|", answers.join(" | "));
}
PROGRAM
node program.mjs >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
5 minutes | ms 300 | itty-time 300 | enhanced-ms 300 | human-interval 300 | timestring 300
5 m | ms 300 | itty-time 0.005 | enhanced-ms 300 | human-interval nothing | timestring 300
-5m | ms -300 | itty-time nothing | enhanced-ms 300 | human-interval nothing | timestring 300
1h-30m | ms nothing | itty-time nothing | enhanced-ms 5400 | human-interval nothing | timestring 5400
1h30 | ms nothing | itty-time nothing | enhanced-ms 3600 | human-interval nothing | timestring 3600
1,5h | ms nothing | itty-time nothing | enhanced-ms nothing | human-interval nothing | timestring 54000
half an hour | ms nothing | itty-time nothing | enhanced-ms nothing | human-interval 0 | timestring nothing
1 day 2h | ms nothing | itty-time nothing | enhanced-ms 93600 | human-interval 86400 | timestring 93600
1 month | ms nothing | itty-time 2592000 | enhanced-ms 2628000 | human-interval 2592000 | timestring 2629800
90 | ms 0.09 | itty-time 0.09 | enhanced-ms nothing | human-interval nothing | timestring 0.09
SEEN
echo "seen as described"
