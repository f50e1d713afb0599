"""What is wrong with files of CSV and JSON, in words of our own.

DuckDB reads some broken files without a word: an array of JSON that was cut off behind a comma, and a CSV with a quote
that is not closed, whose lines it then takes for one column, or for values with their quotes. Others it refuses with
advice about its own settings.
"""

from __future__ import annotations

import csv
import gzip
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, TextIO, cast

from trialrun.runtime.feature_view.source.location import Unreadable

MAX_LINE_LENGTH = 300
"""Characters of a line of an error that are shown."""
MAX_SHOWN = 40
"""Characters of a value that is shown."""
DELIMITERS = ",;\t|"
MAX_LINES = 100_000
"""How many lines are looked through; DuckDB decides how a file is read by its first 20,480."""
MAX_LINE_BYTES = 2_000_000
"""The longest line that the engine reads."""
MAX_CHARACTERS = 100_000_000
"""How much of a file is looked through."""
MAX_ARRAY = 10_000_000
"""Bytes of a line or an array of JSON in which a fault is looked for."""
MARGIN = 1024
"""Bytes at both ends of a file of JSON in which its first and its last character are looked for."""
RAGGED = re.compile(
    r"CSV Error on Line: (?P<line>\d+)\n.*Expected Number of Columns: (?P<expected>\d+) Found: (?P<found>\d+)", re.S
)
LINE = re.compile(r"CSV Error on Line: (\d+)")
FILE = re.compile(r"^\s*file = (?P<file>.+)$", re.M)
SNIFFED = re.compile(r'Error when sniffing file "(?P<file>[^"]+)"')
TWICE = re.compile(r'in file "(?P<file>[^"]+)".* has duplicate key "(?P<key>.+?)"', re.S)
BLANKS = re.compile(r"\s*")
MALFORMED = re.compile(
    r'[\w ]+Error: Malformed JSON in file "(?P<file>(?s:.+))", at byte \d+ in (?P<kind>line|record/value) \d+: '
    r"(?P<problem>[^.\n]+)"
)
PROBLEMS = {
    "Value with unterminated quote found": 'line {line} of "{file}" has a quote that is not closed; correct it',
    "This file is not utf-8 encoded": 'line {line} of "{file}" is not UTF-8; save the file as UTF-8',
    "Maximum line size of 2000000 bytes exceeded": 'a line of "{file}" has more than 2,000,000 bytes; shorten it',
}
"""What is said of a CSV file where the engine says this."""
Execute = Callable[[str], list[tuple[Any, ...]]]


def engine_reason(error: Exception, folders: Iterable[str] = ()) -> str:
    """What the engine says first, in the form of our messages, with paths as they are seen from the folders.

    A line of it may hold a whole line of a file, of many megabytes.
    """
    lines = [line if len(line) <= MAX_LINE_LENGTH else f"{line[:MAX_LINE_LENGTH]}…" for line in str(error).split("\n")]
    text = "\n".join(lines)
    if reason := _csv_reason(text):
        return reason
    if sniffed := SNIFFED.search(text):
        return f'"{os.path.basename(sniffed["file"])}" has no form of CSV; use one delimiter and double quotes'
    if twice := TWICE.search(text):
        return f'"{os.path.basename(twice["file"])}" has an object with the key "{twice["key"]}" twice; remove one'
    if malformed := MALFORMED.match(text):
        line = _malformed_line(malformed["file"], is_by_line=malformed["kind"] == "line")
        place = f"line {line} of " if line else ""
        return f'{place}"{os.path.basename(malformed["file"])}" is not valid JSON: {malformed["problem"]}'
    reason = re.sub(r"^(\w+ )*Error: ", "", text.split("\n\n")[0])
    for folder in folders:
        reason = reason.replace(os.path.join(folder, ""), "")
    lines = [line.strip() for line in reason.split("\n") if line.strip()]
    lines[:1] = [line if line[:2].isupper() else line[:1].lower() + line[1:] for line in lines[:1]]
    return ", ".join(lines[:3]) or "DuckDB gives no reason"


def _csv_reason(text: str) -> str | None:
    if (line := LINE.search(text)) is None:
        return None
    file = FILE.search(text)
    name = os.path.basename(file["file"].strip()) if file else "the file"
    if ragged := RAGGED.search(text):
        return _ragged_message(name, int(ragged["line"]), int(ragged["found"]), int(ragged["expected"]))
    found = next((message for problem, message in PROBLEMS.items() if problem in text), None)
    return found and found.format(line=line[1], file=name)


def _ragged_message(file: str, line: int, values: int, expected: int) -> str:
    plural = "" if values == 1 else "s"
    return f'line {line} of "{file}" has {values} value{plural}, where the header has {expected}; correct the line'


def _malformed_line(file: str, *, is_by_line: bool) -> int | None:
    """The line of the first fault of a file of JSON, which the engine counts one too far; None if it is not found."""
    left = MAX_CHARACTERS if is_by_line else MAX_ARRAY
    try:
        with gzip.open(file) if file.lower().endswith(".gz") else open(file, "rb") as data:
            read = data.readline if is_by_line else data.read
            for before in range(MAX_LINES):
                text = read(min(left, MAX_ARRAY))
                left -= len(text)
                if not text or not left or len(text) == MAX_ARRAY:
                    return None
                if line := _line_of_fault(text):
                    return before + line
    except (OSError, EOFError):
        pass
    return None


def _line_of_fault(text: bytes) -> int | None:
    """The line of a text in which it is not JSON values, one after another; None if it is."""
    decoder = json.JSONDecoder()
    try:
        rest = text.decode("utf-8-sig").rstrip()
        at = 0
        for _ in range(MAX_LINES):
            if at == len(rest):
                break
            _, at = decoder.raw_decode(rest, BLANKS.match(rest, at).end())  # type: ignore[union-attr]
    except UnicodeDecodeError as error:
        return text.count(b"\n", 0, error.start) + 1
    except json.JSONDecodeError as error:
        return error.lineno
    except (ValueError, RecursionError):
        pass
    return None


def refuse_broken_csv(files: Sequence[str]) -> None:
    """Refuse CSV files that the engine cannot tell the columns of, if they are empty or broken. Raises Unreadable.

    It takes each line for one value, and the header for one name, if a line has another length than the header, or a
    quote that is not closed.
    """
    for file in files:
        open_text = gzip.open if file.lower().endswith(".gz") else open
        try:
            with open_text(file, "rt", encoding="utf-8", newline="") as text:
                message = _csv_problem(_lines(cast("TextIO", text)))
        except (OSError, EOFError, UnicodeDecodeError):  # the engine says what is wrong with it
            continue
        if message is not None:
            raise Unreadable(message.format(file=os.path.basename(file)))


def _lines(text: TextIO) -> Iterator[str]:
    """The lines of a text. Raises EOFError beyond the bounds, where nothing is said of it."""
    left = MAX_CHARACTERS
    for _ in range(MAX_LINES):
        line = text.readline(MAX_LINE_BYTES + 1)
        if not line:
            return
        left -= len(line)
        if left < 0 or len(line) > MAX_LINE_BYTES:
            break
        yield line
    raise EOFError


def _csv_problem(lines: Iterator[str]) -> str | None:
    """What is wrong with the first row that is, with a place for the name of the file."""
    header = next(lines, "")
    delimiter = max(DELIMITERS, key=header.count)
    if delimiter not in header:
        is_empty = not header.strip() and all(map(str.isspace, lines))
        return '"{file}" is empty; its first line has the names of the columns' if is_empty else None
    reader, width, start = csv.reader(chain([header], lines), delimiter=delimiter, strict=True), 0, 1
    try:
        for values in reader:
            width = width or len(values)
            if values and len(values) != width:
                return _ragged_message("{file}", reader.line_num, len(values), width)
            start = reader.line_num + 1
    except csv.Error as error:
        if "expected" in str(error):
            return (
                f'the row in line {start} of "{{file}}" has a quote that is not closed, or text behind one; correct it'
            )
    return None


def refuse_cut_arrays(files: Iterable[str]) -> None:
    """Refuse a file of JSON whose array is not closed. Raises Unreadable."""
    for file in files:
        try:
            with open(file, "rb") as data:
                begin = data.read(MARGIN).removeprefix(b"\xef\xbb\xbf").lstrip()
                data.seek(max(0, os.path.getsize(file) - MARGIN))
                end = data.read().rstrip()
        except OSError:  # the engine says what is wrong with it
            continue
        if begin.startswith(b"[") and end and not end.endswith(b"]"):
            raise Unreadable(f'"{os.path.basename(file)}" ends within its array; it may be cut off, so write it again')


def has_json_rows(listed: str, execute: Execute) -> bool:
    """Whether the listed files of JSON have rows, which are all objects. Raises Unreadable."""
    rows = f"read_json_objects([{listed}])"
    for (value,) in execute(f"SELECT left(json::VARCHAR, 41) FROM {rows} WHERE json_type(json) <> 'OBJECT' LIMIT 1"):
        shown = value if len(value) <= MAX_SHOWN else f"{value[:MAX_SHOWN]}…"
        raise Unreadable(f"a row is no object: {shown}; write an object for each row")
    return bool(execute(f"SELECT 1 FROM {rows} LIMIT 1"))
