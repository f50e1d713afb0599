#!/usr/bin/env bash
# Codes of Pix, by which guests in Brazil pay, whose prices have decimal commas: pix-payload 1.0.4 (npm) writes the amount of
# "19,99" as NaN, into a code with a right check sum, and 1e21 as it is; @pix.js/qrcode 1.1.0 (npm), which checks codes,
# reads a payment with the amount NaN. Minus one, a tenth of a cent (0.00) and a name of 38 letters, which may have 25, are
# written and read as well.
# Guess before the run: an error from the writer, and one from the reader for what is no number.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . pix-payload@1.0.4 @pix.js/qrcode@1.1.0
cat >program.cjs <<'PROGRAM'
const { parseStaticPix } = require("@pix.js/qrcode");
const { payload } = require("pix-payload");

const guest = { key: "menu@example.com", name: "Menu", city: "Recife", transactionId: "1" };
const bills = [{ amount: 19.99 }, { amount: "19,99" }, { amount: 1e21 }, { amount: -1 }, { amount: 0.001 }];
bills.push({ amount: 5, name: "Restaurante da Boa Vista do Rio Grande" });
for (const bill of bills) {
  const code = payload({ ...guest, ...bill });
  let read;
  try {
    const { value, merchantName } = parseStaticPix(code);
    read = `${typeof value} ${value} to ${merchantName}`;
  } catch (error) {
    read = "refused";
  }
  console.log(JSON.stringify(bill), code.slice(code.indexOf("986") + 3, code.indexOf("5802BR")), "->", read);
}
PROGRAM
node program.cjs >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
{"amount":19.99} 540519.99 -> number 19.99 to Menu
{"amount":"19,99"} 5403NaN -> number NaN to Menu
{"amount":1e+21} 54051e+21 -> number 1e+21 to Menu
{"amount":-1} 5405-1.00 -> number -1 to Menu
{"amount":0.001} 54040.00 -> number 0 to Menu
{"amount":5,"name":"Restaurante da Boa Vista do Rio Grande"} 54045.00 -> number 5 to Restaurante da Boa Vista do Rio Grande
SEEN
echo "seen as described"
