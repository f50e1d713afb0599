"""Keys and values of labels: lower-case letters of any script, digits, underscores and dashes (feature-view Limits)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby
from typing import Literal

from trialrun.values import Problem, deceptive, shorten

LETTERS = ("Ll", "Lo")
ALLOWED = (*LETTERS, "Nd", "Nl", "No")
UNPORTABLE = {"Mn": "combining mark", "Mc": "combining mark", "Lm": "modifier letter", "Cf": "joiner"}
JOINERS = "\u200c\u200d"
"""ZWNJ and ZWJ, with which Persian and the scripts of India are spelled."""
USE = "use lower-case letters, digits, _ and -, of any script"
ORDINARY = {"key": re.compile("[a-z][a-z0-9_-]*"), "value": re.compile("[a-z0-9_-]*")}

CharacterClass = Literal["allowed", "unportable", "upper", "slash", "bad"]


@lru_cache(maxsize=4096)
def check(text: str, *, what: Literal["key", "value"], system_prefix: str | None = None) -> tuple[Problem, ...]:
    """What is wrong with the key or the value of a label; its length is not checked here.

    Codes: "invalid" (characters that labels cannot have), "unportable" (what other services refuse), and
    "system" (a key under `system_prefix`, which is given without its slash; then nothing else is said).
    """
    if ORDINARY[what].fullmatch(text):
        return ()
    if what == "key" and system_prefix and text.startswith(f"{system_prefix}/"):
        message = f'"{system_prefix}/" marks a label of the service, which cannot be set or changed; remove it'
        return (Problem("system", 0, len(system_prefix) + 1, message),)
    problems = [*_invalid_runs(text), *_decomposed(text), *(_check_first_character(text) if what == "key" else ())]
    return tuple(sorted(problems, key=lambda problem: (problem.start, problem.end)))


@lru_cache(maxsize=1024)
def _classify(char: str) -> CharacterClass:
    """Both tests are needed for capitals: some have no category Lu (Ⅷ), some no lower case (𝐀)."""
    category = unicodedata.category(char)
    if category in ("Lu", "Lt") or char != char.lower():
        return "upper"
    if char in "_-" or category in ALLOWED:
        return "allowed"
    if category in UNPORTABLE and category != "Cf":  # a joiner depends on its neighbors
        return "unportable"
    return "slash" if char == "/" else "bad"


def _invalid_runs(text: str) -> Iterator[Problem]:
    """A problem for each run of characters of one sort; marks that a composed form takes in are not distinguished."""
    composed = {place for start, end, _ in _decomposed_clusters(text) for place in range(start, end)}
    sorts: list[str] = [_classify(char) for char in text]
    for at, char in enumerate(text):  # a joiner in a word of a script that is spelled with it
        if char in JOINERS and not deceptive.check(text[max(at - 1, 0) : at + 2]):
            sorts[at] = "unportable"
    for sort, group in groupby(range(len(text)), key=sorts.__getitem__):
        places = list(group)
        run = text[places[0] : places[-1] + 1]
        if sort == "unportable":
            yield from _unportable_marks(text, [place for place in places if place not in composed])
        elif sort != "allowed":
            yield _invalid(sort, run, places[0])


def _invalid(sort: str, run: str, start: int) -> Problem:
    end = start + len(run)
    if sort == "slash":
        return Problem("invalid", start, end, f'"/" outside a system prefix; {USE}')
    if sort == "bad":
        return Problem("invalid", start, end, f"character {_quote_run(run)} in a label; {USE}")
    lower = run.lower()
    if any(_classify(char) != "allowed" for char in lower):
        return Problem("invalid", start, end, f"capital {_quote_run(run)} in a label; {USE}")
    message = f'capital "{shorten(run, 64)}" in a label; write "{shorten(lower, 64)}"'
    return Problem("invalid", start, end, message, lower)


def _unportable_marks(text: str, places: list[int]) -> Iterator[Problem]:
    if places:
        start, end = places[0], places[-1] + 1
        what = UNPORTABLE[unicodedata.category(text[start])]
        message = f"{what} {_code_points(text[start:end])} that other services refuse in labels"
        yield Problem("unportable", start, end, message)


def _decomposed(text: str) -> Iterator[Problem]:
    for start, end, composed in _decomposed_clusters(text):
        unstable = next((char for char in text[start:end] if unicodedata.normalize("NFC", char) != char), None)
        if unstable:
            is_excluded = len(unicodedata.normalize("NFC", unstable)) > 1
            why = "excluded from composition" if is_excluded else "another code point of a character"
            what = f'"{unstable}" ({_code_points(unstable)}) is {why}, and normalization replaces it'
            message = f"{what}; write its normal form (NFC), {_code_points(composed)}"
        else:
            what = f'"{shorten(composed, 64)}" in decomposed form, which does not match typed text'
            message = f"{what}; write it composed (NFC)"
        yield Problem("unportable", start, end, message, composed)


@lru_cache(maxsize=256)
def _decomposed_clusters(text: str) -> tuple[tuple[int, int, str], ...]:
    """Where the text is not in NFC: start, end and the composed form, letter by letter; nothing beside capitals."""
    if unicodedata.is_normalized("NFC", text):
        return ()
    # marks, and the vowels and finals of Hangul, may compose with the character before them
    may_compose = [
        unicodedata.combining(char) != 0 or unicodedata.category(char) in ("Mn", "Mc") or "\u1160" <= char <= "\u11ff"
        for char in text
    ]
    starts = [place for place in range(len(text)) if place == 0 or not may_compose[place]]
    spans = zip(starts, [*starts[1:], len(text)], strict=True)
    forms = ((start, end, unicodedata.normalize("NFC", text[start:end])) for start, end in spans)
    return tuple(
        (start, end, form)
        for start, end, form in forms
        if form != text[start:end] and all(_classify(char) in ("allowed", "unportable") for char in text[start:end])
    )


def _check_first_character(text: str) -> Iterator[Problem]:
    if not text:
        yield Problem("unportable", 0, 0, "empty label key; write a name")
    elif _classify(text[0]) == "allowed" and unicodedata.category(text[0]) not in LETTERS:
        message = f'label key that begins with "{text[0]}"; other services require a letter first'
        yield Problem("unportable", 0, 1, message)


def _quote_run(run: str) -> str:
    """The first characters of a run, readable in a terminal: with code points where they are not ASCII."""
    text = f'"{repr(run[:8])[1:-1]}"'
    return text if run.isascii() else f"{text} ({_code_points(run)})"


def _code_points(run: str) -> str:
    return " ".join(f"U+{ord(char):04X}" for char in run[:8])
