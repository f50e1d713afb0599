"""The files that an import reads: bounded bytes and, on demand, their JSON or YAML documents."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from trialrun.errors import UsageError, os_error_reason
from trialrun.guarded_path import read_file
from trialrun.parser import parse
from trialrun.parser.decode import DecodedText, decode
from trialrun.parser.json import without_lone_surrogates
from trialrun.parser.json_decode import LimitExceeded, decode_json, index_json, skip_space
from trialrun.parser.parse_error import SourceSlice
from trialrun.working_folder import absolute_path, display_path

MAX_INPUT_BYTES = 256 * 2**20
MAX_INPUT_NODES = 5_000_000
"""Keys and items of a JSON document, of which Python needs about 100 bytes each."""
MAX_INPUT_DOCUMENTS = 1_000_000
"""Documents of a JSON file: a feed has one for each of its entities."""
MAX_INDEXED = 32 * 2**20
"""Characters of a JSON text whose repeated keys are looked up; their lines need ten times the memory of its values."""
_json_text = re.compile(r'"(?:[^"\\]|\\.)*"', re.S)
_LINE_ERRORS = {"syntax-error": "is not valid YAML", "encoding-error": "is not text in UTF-8"}


class InputError(UsageError):
    """An input file that cannot be imported; the message names the file and never quotes its content."""


RepeatedKey = tuple[int, int | None]
"""The document, and the line if the file is not large, of a key that a mapping has twice; the later counts."""


@dataclass(frozen=True)
class InputFile:
    """An input file: its name for messages, and its bytes."""

    name: str
    data: bytes

    @property
    def documents(self) -> Sequence[Any]:
        """The JSON or YAML documents of the file as plain values. Raises InputError."""
        if isinstance(self._parsed, InputError):
            raise self._parsed
        return self._parsed[0]

    @property
    def repeated_keys(self) -> Sequence[RepeatedKey]:
        """The keys that a mapping of the file has twice."""
        return () if isinstance(self._parsed, InputError) else self._parsed[1]

    @cached_property
    def _parsed(self) -> tuple[Sequence[Any], Sequence[RepeatedKey]] | InputError:
        """What is read, or why there is nothing: each format that may be that of the file asks for it."""
        name = self.name.lower()
        decoded = decode(self.data, self.name)
        is_json = name.endswith(".json") or decoded.clean.lstrip(" \t\r\n")[:1] in ("{", "[")
        try:
            if is_json and not name.endswith((".yaml", ".yml")):
                return _parse_json(self.name, _valid_text(self, decoded))
            return _parse_yaml(self.name, self.data)
        except InputError as error:
            return error


def read_input(file: str) -> InputFile:
    """An input file that the user named. Raises InputError."""
    name = display_path(file)
    try:
        data = read_file(file, MAX_INPUT_BYTES, named_in=os.path.dirname(absolute_path(file)))
    except FileNotFoundError as error:
        raise InputError(f"there is no file {name}") from error
    except (OSError, ValueError) as error:
        reason = os_error_reason(error) if isinstance(error, OSError) else str(error)
        raise InputError(f"{name} cannot be read: {reason}") from error
    return check_size(InputFile(name, data))


def check_size(file: InputFile) -> InputFile:
    """The file, if it is not too large. Raises InputError."""
    if len(file.data) > MAX_INPUT_BYTES:
        raise InputError(f"{file.name} has more than {MAX_INPUT_BYTES // 2**20} MiB; import it in parts")
    return file


def _valid_text(file: InputFile, decoded: DecodedText) -> str:
    """The text of a file in UTF-8, UTF-16 or UTF-32; JSON may have characters that YAML refuses. Raises InputError."""
    if not decoded.errors:
        return decoded.clean
    try:
        return file.data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = _line(decoded.clean, decoded.errors[0].span.start)
        raise InputError(f"{file.name}:{line}: is not text in UTF-8") from error


def _parse_json(name: str, text: str) -> tuple[Sequence[Any], Sequence[RepeatedKey]]:
    _check_nodes(name, text)
    if "\\u" in text:
        text = without_lone_surrogates(text)[0]
    values, has_oddities = _decode_documents(name, text)
    if not values:
        raise InputError(f"{name} is empty")
    return values, tuple(_repeated_json_keys(text)) if has_oddities else ()


def _decode_documents(name: str, text: str) -> tuple[list[Any], bool]:
    values: list[Any] = []
    has_oddities = False
    at = skip_space(text, 0)
    while at < len(text):
        if len(values) == MAX_INPUT_DOCUMENTS:
            raise InputError(f"{name} has more than {MAX_INPUT_DOCUMENTS:,} documents; import it in parts")
        try:
            value, at, is_odd = decode_json(text, at, max_nodes=MAX_INPUT_NODES)
        except LimitExceeded as limit:
            raise InputError(f"{name}: {limit}") from limit
        except ValueError as error:
            raise InputError(f"{name}:{_line(text, getattr(error, 'pos', at))}: is not valid JSON") from error
        values.append(value)
        has_oddities |= is_odd
        at = skip_space(text, at)
    return values, has_oddities


def _check_nodes(name: str, text: str) -> None:
    """Refuse more values than memory should hold, before they are read."""
    if len(text) <= MAX_INPUT_NODES or _brackets_and_commas(text) <= MAX_INPUT_NODES:
        return
    if _brackets_and_commas(_json_text.sub("", text)) > MAX_INPUT_NODES:
        raise InputError(f"{name} has more than {MAX_INPUT_NODES:,} keys and items; import it in parts")


def _brackets_and_commas(text: str) -> int:
    return text.count(",") + text.count("{") + text.count("[")


def _repeated_json_keys(text: str) -> Iterator[RepeatedKey]:
    if len(text) > MAX_INDEXED:
        yield 0, None
        return
    for error in index_json(SourceSlice(text, is_json=True))[1]:
        if error.rule == "duplicate-key":
            yield 0, _line(text, error.span.start)


def _parse_yaml(name: str, data: bytes) -> tuple[Sequence[Any], Sequence[RepeatedKey]]:
    parsed = parse(data, f"{name}.yaml", max_bytes=MAX_INPUT_BYTES)
    text = parsed.source.text
    for error in parsed.errors:
        if error.rule in _LINE_ERRORS or error.rule == "resource-limit":
            message = _LINE_ERRORS.get(error.rule, error.message)
            raise InputError(f"{name}:{_line(text, error.span.start)}: {message}")
    values = [document.value for document in parsed.documents if document.value is not None]
    if not values:
        raise InputError(f"{name} is empty")
    repeated = [error for error in parsed.errors if error.rule == "duplicate-key"]
    return values, [(error.document, _line(text, error.span.start)) for error in repeated]


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1
