#!/usr/bin/env bash
# A price list as a workbook, read by four libraries. A formula that failed is an empty text in python-calamine 0.9.1 and
# nothing in xlsx 0.18.5 (npm); openpyxl 3.1.5 and exceljs 4.4.0 say #DIV/0!. The 29th of February 1900, which workbooks have,
# is the 28th in Python and the 28th or (for the day before it) the 27th in JavaScript. A price whose format ends in an
# escaped d is a day of 1900 in exceljs. A shift of 26:30 hours is half past two of a day of 1899 in JavaScript.
# Guess before the run: errors are errors or texts in all four; the format of a price makes no date.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . xlsx@0.18.5 exceljs@4.4.0
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check xlsxwriter==3.3.1 openpyxl==3.1.5 python-calamine==0.9.1
cat >program.mjs <<'PROGRAM'
import xlsx from "xlsx";
import exceljs from "exceljs";

const written = (value) => (value instanceof Date ? value.toISOString() : JSON.stringify(value));
const sheet = xlsx.readFile("prices.xlsx", { cellDates: true }).Sheets.Sheet1;
for (const row of xlsx.utils.sheet_to_json(sheet, { header: 1, blankrows: true })) console.log("xlsx", written(row[0]));
const book = new exceljs.Workbook();
await book.xlsx.readFile("prices.xlsx");
book.worksheets[0].eachRow((row) => console.log("exceljs", written(row.getCell(1).value)));
PROGRAM
venv/bin/python - >seen <<'PROGRAM'
import datetime
import openpyxl
import python_calamine
import xlsxwriter

book = xlsxwriter.Workbook("prices.xlsx")
sheet = book.add_worksheet()
sheet.write_formula(0, 0, "=1/0", None, "#DIV/0!")
sheet.write_number(1, 0, 60, book.add_format({"num_format": "yyyy-mm-dd"}))
sheet.write_number(2, 0, 59, book.add_format({"num_format": "yyyy-mm-dd"}))
sheet.write_number(3, 0, 19.99, book.add_format({"num_format": r"0.00\d"}))
sheet.write_datetime(4, 0, datetime.timedelta(hours=26, minutes=30), book.add_format({"num_format": "[h]:mm"}))
book.close()
for (cell,) in openpyxl.load_workbook("prices.xlsx", data_only=True).active.iter_rows(values_only=True):
    print("openpyxl", repr(cell))
for (cell,) in python_calamine.CalamineWorkbook.from_path("prices.xlsx").get_sheet_by_index(0).to_python():
    print("calamine", repr(cell))
PROGRAM
node program.mjs >>seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
openpyxl '#DIV/0!'
openpyxl datetime.datetime(1900, 2, 28, 0, 0)
openpyxl datetime.datetime(1900, 2, 28, 0, 0)
openpyxl 19.99
openpyxl datetime.timedelta(days=1, seconds=9000)
calamine ''
calamine datetime.date(1900, 2, 28)
calamine datetime.date(1900, 2, 28)
calamine 19.99
calamine datetime.timedelta(days=1, seconds=9000)
xlsx undefined
xlsx 1900-02-28T00:00:00.000Z
xlsx 1900-02-27T00:00:00.000Z
xlsx 19.99
xlsx 1899-12-31T02:30:00.000Z
exceljs {"formula":"1/0","result":{"error":"#DIV/0!"}}
exceljs 1900-02-28T00:00:00.000Z
exceljs 1900-02-27T00:00:00.000Z
exceljs 1900-01-18T23:45:36.000Z
exceljs 1899-12-31T02:30:00.000Z
SEEN
echo "seen as described"
