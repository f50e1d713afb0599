#!/usr/bin/env bash
# Validators of JavaScript, joi 18.3.2 (npm): Joi.date() takes "burger 5" for the first of May 2001 and "table 7" for July,
# 8.50 for 8 milliseconds of 1970 and "1,5" for 5 January 2001, as it asks the Date of the engine; with iso(), 2026-02-30 is
# the second of March. A count of seconds is one of milliseconds, of January 1970.
# Guess before the run: an error for all of them; the 30th of February is refused at least by iso().
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . joi@18.3.2
cat >program.mjs <<'PROGRAM'
import Joi from "joi";

for (const [name, schema] of [["date()", Joi.date()], ["date().iso()", Joi.date().iso()]])
  for (const value of ["burger 5", "table 7", "8.50", "1,5", "2026-02-30", "2026-11-30", 1795996800]) {
    const { error, value: moment } = schema.validate(value);
    console.log(name, JSON.stringify(value), "->", error ? "an error" : moment.toISOString());
  }
PROGRAM
TZ=UTC node program.mjs >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
date() "burger 5" -> 2001-05-01T00:00:00.000Z
date() "table 7" -> 2001-07-01T00:00:00.000Z
date() "8.50" -> 1970-01-01T00:00:00.008Z
date() "1,5" -> 2001-01-05T00:00:00.000Z
date() "2026-02-30" -> 2026-03-02T00:00:00.000Z
date() "2026-11-30" -> 2026-11-30T00:00:00.000Z
date() 1795996800 -> 1970-01-21T18:53:16.800Z
date().iso() "burger 5" -> an error
date().iso() "table 7" -> an error
date().iso() "8.50" -> an error
date().iso() "1,5" -> an error
date().iso() "2026-02-30" -> 2026-03-02T00:00:00.000Z
date().iso() "2026-11-30" -> 2026-11-30T00:00:00.000Z
date().iso() 1795996800 -> an error
SEEN
echo "seen as described"
