#!/usr/bin/env bash
# Codes of items, made and read again by zxing-cpp 3.1.1 (PyPI): a UPC-A of twelve digits is read as an EAN-13 of thirteen,
# and a UPC-E of eight as the thirteen digits that it stands for, so neither is found in a table of the codes that were made.
# Twelve digits given for an EAN-13 get a check digit behind them, also where they are a whole UPC-A; an ITF of five digits
# gets a zero in front, and Code 39 is in capitals.
# Guess before the run: each is read as it was made, under its own kind; Code 39 refuses small letters.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'zxing-cpp==3.1.1' 'numpy==2.4.6'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import numpy
import zxingcpp

FORMATS = zxingcpp.BarcodeFormat
for kind, text in (
    (FORMATS.UPCA, "036000291452"), (FORMATS.UPCE, "01234565"), (FORMATS.EAN13, "0036000291452"), (FORMATS.EAN13, "036000291452"),
    (FORMATS.EAN8, "96385074"), (FORMATS.ITF, "12345"), (FORMATS.Code39, "item-7a"), (FORMATS.Code128, "item-7a"),
):
    image = numpy.pad(numpy.array(zxingcpp.create_barcode(text, kind).to_image(scale=3)), 40, constant_values=255)
    (found,) = zxingcpp.read_barcodes(image)
    print(kind, text, "->", found.format, found.text)
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
UPC-A 036000291452 -> EAN-13 0036000291452
UPC-E 01234565 -> UPC-E 0012345000065
EAN-13 0036000291452 -> EAN-13 0036000291452
EAN-13 036000291452 -> EAN-13 0360002914522
EAN-8 96385074 -> EAN-8 96385074
ITF 12345 -> ITF 012345
Code 39 item-7a -> Code 39 ITEM-7A
Code 128 item-7a -> Code 128 item-7a
SEEN
echo "seen as described"
