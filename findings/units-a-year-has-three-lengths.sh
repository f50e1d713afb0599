#!/usr/bin/env bash
# Units in JavaScript: a year is 365 days for convert 8.0.2, 365.25 for mathjs 15.2.0 and convert-units 2.3.4, and 365.2422
# for js-quantities 1.8.0 (npm); twelve months of the first are five days shorter than its year. A teaspoon is 5 ml for mathjs
# and 4.93 for the others, beside cups of 236.6 in all. 37 degC are 66.6 degF for js-quantities, which takes them for a
# difference. A MB has 1024 KB in convert-units and 1000 kB in mathjs.
# Guess before the run: a year of 365 or 365.25 days, spoons and cups of one country, and 98.6.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . convert@8.0.2 convert-units@2.3.4 js-quantities@1.8.0 mathjs@15.2.0
cat >program.mjs <<'PROGRAM'
import { convert } from "convert";
import units from "convert-units";
import Qty from "js-quantities";
import { unit } from "mathjs";

const round = (value) => Math.round(value * 10000) / 10000;
const show = (what, numbers) => console.log(what, Object.entries(numbers).map(([library, number]) => `${library} ${round(number)}`).join(", "));
show("days of a year:", { convert: convert(1, "year").to("day"), "convert-units": units(1).from("year").to("d"), "js-quantities": Qty("1 year").to("day").scalar, mathjs: unit("1 year").toNumber("day") });
show("days of twelve months:", { convert: convert(12, "month").to("day"), "convert-units": units(12).from("month").to("d"), mathjs: unit("12 month").toNumber("day") });
show("ml of a teaspoon:", { convert: convert(1, "teaspoon").to("ml"), "convert-units": units(1).from("tsp").to("ml"), "js-quantities": Qty("1 tsp").to("ml").scalar, mathjs: unit("1 teaspoon").toNumber("ml") });
show("ml of a cup:", { convert: convert(1, "cup").to("ml"), "convert-units": units(1).from("cup").to("ml"), "js-quantities": Qty("1 cu").to("ml").scalar, mathjs: unit("1 cup").toNumber("ml") });
show("degF of 37 degC:", { convert: convert(37, "celsius").to("fahrenheit"), "convert-units": units(37).from("C").to("F"), "js-quantities": Qty("37 degC").to("degF").scalar, mathjs: unit("37 degC").toNumber("degF") });
show("kB of a MB:", { "convert-units": units(1).from("MB").to("KB"), mathjs: unit("1 MB").toNumber("kB") });
PROGRAM
TZ=UTC node program.mjs >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
days of a year: convert 365, convert-units 365.25, js-quantities 365.2422, mathjs 365.25
days of twelve months: convert 360, convert-units 365.25, mathjs 365.25
ml of a teaspoon: convert 4.9289, convert-units 4.9289, js-quantities 4.9289, mathjs 5
ml of a cup: convert 236.5882, convert-units 236.5882, js-quantities 236.5882, mathjs 236.5882
degF of 37 degC: convert 98.6, convert-units 98.6, js-quantities 66.6, mathjs 98.6
kB of a MB: convert-units 1024, mathjs 1000
SEEN
echo "seen as described"
