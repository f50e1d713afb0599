"""The file of `plan --conversion`: which share of its offers customers accept and decline, by upsell.

    default: {accept: 0.3, decline: 0.4}
    upsells:
      Fries with burgers: {accept: 0.12, decline: 0.5}

YAML or JSON. `default` is for upsells without an entry; without it, customers answer as those of `explore`. What is
neither accepted nor declined is passed over.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trialrun.parser import Document, ParsedFile, Path, parse
from trialrun.report.format_value import truncate
from trialrun.runtime.channel_config.explore.profile import DEFAULT_PROFILE, AnswerRates
from trialrun.values.suggest import did_you_mean

MAX_BYTES = 2**20
"""The largest file of rates that is read."""
MAX_TEXT = 40
MAX_SHOWN = 10**20
"""Larger numbers are not quoted in messages."""
KEYS = ("default", "upsells")
RATES = ("accept", "decline")


class InvalidRates(ValueError):
    """The text is not a file of rates; the message begins with the line, where one is to blame."""


def parse_rates(data: bytes, path: str) -> AnswerRates:
    """The rates of a file. Raises InvalidRates."""
    if len(data) > MAX_BYTES:
        raise InvalidRates(f"it is larger than {MAX_BYTES:,} bytes")
    tree = parse(data, path)
    if tree.errors:
        error = tree.errors[0]
        raise InvalidRates(f"{_line(tree, error.span.start)}{error.message}")
    if len(tree.documents) != 1:
        raise InvalidRates(f"it has {len(tree.documents)} documents; write one with {' and '.join(KEYS)}")
    return _Reader(tree, tree.documents[0]).read()


def _line(tree: ParsedFile, offset: int) -> str:
    return f"{tree.source.position(offset).line}: "


class _Reader:
    """Reads the rates of a document."""

    def __init__(self, tree: ParsedFile, document: Document) -> None:
        self._tree, self._document = tree, document

    def read(self) -> AnswerRates:
        content = self._document.value
        top = self._mapping(content, (), KEYS)
        default = DEFAULT_PROFILE.accept, DEFAULT_PROFILE.decline
        if "default" in top:
            default = self._pair(top["default"], ("default",))
        upsells = self._mapping(top.get("upsells", {}), ("upsells",), None)
        if not top:
            raise self._error((), "it has no rates", f"write {' and '.join(KEYS)}")
        return AnswerRates(default, {name: self._pair(value, ("upsells", name)) for name, value in upsells.items()})

    def _mapping(self, value: Any, path: Path, keys: tuple[str, ...] | None) -> Mapping[str, Any]:
        """A mapping that has no other keys than these, if any are given."""
        if not isinstance(value, dict):
            raise self._error(path, f"{self._name(path)} is no mapping", f"write {self._example(path)}")
        for key in value if keys else ():
            if keys and key not in keys:
                hint = did_you_mean(key, keys) or f"; use {' or '.join(keys)}"
                raise self._error(
                    (*path, key), f"{_quote(key)} is not known here", hint.removeprefix("; "), at_key=True
                )
        return value

    def _pair(self, value: Any, path: Path) -> tuple[float, float]:
        """The rates of an entry; one that is left out is 0."""
        rates = self._mapping(value, path, RATES)
        if not rates:
            raise self._error(path, f"{self._name(path)} has no rates", f"write {' and '.join(RATES)}")
        accept, decline = (self._share(rates.get(name, 0), (*path, name)) for name in RATES)
        if accept + decline > 1 + 1e-9:
            total = f"accept {accept:g} and decline {decline:g} add up to more than 1"
            raise self._error(path, total, "lower one of them")
        return accept, decline

    def _share(self, value: Any, path: Path) -> float:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not 0 <= value <= 1:  # so is nan
            raise self._error(path, f"{path[-1]} {_shown(value)} is not a share", "use a number from 0 to 1")
        return float(value)

    def _error(self, path: Path, what: str, advice: str, *, at_key: bool = False) -> InvalidRates:
        span = self._document.key_span(path) if at_key else None
        start = (span or self._document.span(path)).start
        return InvalidRates(f"{_line(self._tree, start)}{what}; {advice}")

    @staticmethod
    def _name(path: Path) -> str:
        return _quote(str(path[-1])) if path else "the file"

    @staticmethod
    def _example(path: Path) -> str:
        return "accept and decline" if path and path != ("upsells",) else "upsells, each with accept and decline"


def _quote(text: str) -> str:
    return f'"{truncate(text, MAX_TEXT)}"'


def _shown(value: Any) -> str:
    """A value as messages quote it: a number or a text, else its type."""
    if isinstance(value, str):
        return _quote(value)
    if isinstance(value, float) or (isinstance(value, int) and abs(value) < MAX_SHOWN):
        return str(value).lower()
    return f"of type {type(value).__name__}"
