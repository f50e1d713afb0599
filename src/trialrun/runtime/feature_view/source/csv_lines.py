"""Lines of CSV files that have more or fewer values than the header: which one is the first, for a message."""

from __future__ import annotations

import csv
import gzip
import os
import re
from collections.abc import Sequence
from itertools import islice

DELIMITERS = ",;\t|"
MAX_LINES = 100_000
"""How many lines are looked through; DuckDB decides how a file is read by its first 20,480."""
RAGGED = re.compile(
    r"CSV Error on Line: (?P<line>\d+)\n.*Expected Number of Columns: (?P<expected>\d+) Found: (?P<found>\d+)", re.S
)
FILE = re.compile(r"^\s*file = (?P<file>.+)$", re.M)


def ragged_line(files: Sequence[str], columns: Sequence[str]) -> str | None:
    """What to say of the first ragged line, where that kept an engine from seeing the columns of CSV files.

    It then takes each line for one value, so there is one column whose name is the whole header.
    """
    delimiter = max(DELIMITERS, key=columns[0].count) if len(columns) == 1 else ""
    if not delimiter or delimiter not in columns[0]:
        return None
    return next((message for file in files if (message := _first_ragged(file, delimiter))), None)


def ragged_error(error: str) -> str | None:
    """What to say of a ragged line that an engine came upon, None for another error."""
    ragged, file = RAGGED.search(error), FILE.search(error)
    if ragged is None:
        return None
    name = os.path.basename(file["file"].strip()) if file else "the file"
    return _ragged_message(name, int(ragged["line"]), int(ragged["found"]), int(ragged["expected"]))


def _first_ragged(file: str, delimiter: str) -> str | None:
    open_text = gzip.open if file.lower().endswith(".gz") else open
    try:
        with open_text(file, "rt", encoding="utf-8", newline="") as lines:
            reader = csv.reader(islice(lines, MAX_LINES), delimiter=delimiter)
            header = next(reader, [])
            for values in reader:
                if values and len(values) != len(header):
                    return _ragged_message(os.path.basename(file), reader.line_num, len(values), len(header))
    except (OSError, EOFError, UnicodeDecodeError, csv.Error):  # the engine says what is wrong with it
        return None
    return None


def _ragged_message(file: str, line: int, values: int, expected: int) -> str:
    count = f"{values} value{'' if values == 1 else 's'}"
    return f'line {line} of "{file}" has {count}, where the header has {expected}; correct the line'
