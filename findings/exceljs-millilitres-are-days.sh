#!/usr/bin/env bash
# A column of volumes whose format escapes its letters, as spreadsheets write it (0\ \m\l): exceljs 4.4.0 (npm) takes the
# letters m or d for parts of a date, and 330 becomes 25 November 1900; xlsx 0.18.5 (npm), openpyxl 3.1.5 and python-
# calamine 0.9.1 (PyPI) read 330. With the letters in quotes all read 330.
# Guess before the run: 330 from all.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'openpyxl==3.1.5' 'python-calamine==0.9.1'
npm install --silent --no-audit --no-fund --prefix . exceljs@4.4.0 xlsx@0.18.5
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import openpyxl
import python_calamine

book = openpyxl.Workbook()
for row, form in enumerate((r"0\ \m\l", '0 "ml"', r"0.00\ \d", r"0\ \g"), 1):
    book.active.cell(row, 1, 330).number_format = form
book.save("menu.xlsx")
print("openpyxl", *(cell.value for cell in openpyxl.load_workbook("menu.xlsx").active["A"]))
print("python-calamine", *(row[0] for row in python_calamine.CalamineWorkbook.from_path("menu.xlsx").get_sheet_by_index(0).to_python()))
PROGRAM
cat >program.mjs <<'PROGRAM'
import exceljs from "exceljs";
import xlsx from "xlsx";

const show = (value) => (value instanceof Date ? value.toISOString().slice(0, 10) : value);
const book = new exceljs.Workbook();
await book.xlsx.readFile("menu.xlsx");
console.log("exceljs", ...[1, 2, 3, 4].map((row) => show(book.worksheets[0].getCell(row, 1).value)));
const sheet = Object.values(xlsx.readFile("menu.xlsx", { cellDates: true }).Sheets)[0];
console.log("xlsx", ...[1, 2, 3, 4].map((row) => show(sheet["A" + row].v)));
PROGRAM
node program.mjs >>seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
openpyxl 330 330 330 330
python-calamine 330.0 330.0 330.0 330.0
exceljs 1900-11-25 330 1900-11-25 330
xlsx 330 330 330 330
SEEN
echo "seen as described"
