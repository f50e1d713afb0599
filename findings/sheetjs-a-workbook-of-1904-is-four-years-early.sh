#!/usr/bin/env bash
# A workbook whose days count from 1904, as those of older Macs do: xlsx 0.18.5 (npm, SheetJS) with cellDates reads
# 2026-11-30 as 2022-11-29, though the text that it shows for the cell is right; exceljs 4.4.0 (npm), openpyxl 3.1.5 and
# python-calamine 0.9.1 (PyPI) read the day that was written. A duration of 36 hours is a moment of 1904 for exceljs.
# Guess before the run: the day that was written, from all.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'openpyxl==3.1.5' 'python-calamine==0.9.1'
npm install --silent --no-audit --no-fund --prefix . exceljs@4.4.0 xlsx@0.18.5
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
from datetime import date, timedelta

import openpyxl
import python_calamine
from openpyxl.utils.datetime import CALENDAR_MAC_1904

book = openpyxl.Workbook()
book.epoch = CALENDAR_MAC_1904
book.active["A1"], book.active["A2"] = date(2026, 11, 30), timedelta(hours=36)
book.active["A2"].number_format = "[h]:mm"
book.save("book.xlsx")
print("openpyxl", *(cell.value for cell in openpyxl.load_workbook("book.xlsx").active["A"]))
print("python-calamine", *(row[0] for row in python_calamine.CalamineWorkbook.from_path("book.xlsx").get_sheet_by_index(0).to_python()))
PROGRAM
cat >program.mjs <<'PROGRAM'
import exceljs from "exceljs";
import xlsx from "xlsx";

const book = new exceljs.Workbook();
await book.xlsx.readFile("book.xlsx");
console.log("exceljs", ...[1, 2].map((row) => book.worksheets[0].getCell(row, 1).value.toISOString()));
process.env.TZ = "UTC";
const sheet = Object.values(xlsx.readFile("book.xlsx", { cellDates: true }).Sheets)[0];
console.log("xlsx", ...["A1", "A2"].map((name) => sheet[name].v.toISOString().slice(0, 10) + " shown as " + sheet[name].w));
PROGRAM
node program.mjs >>seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
openpyxl 2026-11-30 00:00:00 1 day, 12:00:00
python-calamine 2026-11-30 1 day, 12:00:00
exceljs 2026-11-30T00:00:00.000Z 1904-01-02T12:00:00.000Z
xlsx 2022-11-29 shown as 2026-11-30 1899-12-31 shown as 36:00
SEEN
echo "seen as described"
