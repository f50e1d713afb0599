"""The words of what is said and of what is listened for, as they are compared."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from unicodedata import category, normalize

APOSTROPHES = "'\u2018\u2019\u02bc\u00b4`\uff07"
SILENT_SYMBOLS = "©®™℠°"
VOICED_MARKS = "\uff9e\uff9f"
UNSPACED_SCRIPTS = (
    ("\u0e00", "\u0eff"), ("\u1000", "\u109f"), ("\u1780", "\u17ff"), ("\u3040", "\u30ff"), ("\u31f0", "\u31ff"),
    ("\u3400", "\u4dbf"), ("\u4e00", "\u9fff"), ("\uf900", "\ufaff"), ("\uff66", "\uff9d"),
    ("\U00020000", "\U0003ffff"),
)  # fmt: skip
"""Scripts that set no spaces between words: Thai, Lao, Burmese, Khmer, Japanese and Chinese."""
WORD = re.compile(r"(?:H(?=D))?[LD](?:[LDMF]|(?<=[LM])A(?=L)|(?<=D)P(?=D))*|[US][MF]*")
"""A word, in the sorts of its characters: `#` before a digit is of it, an apostrophe between letters as well."""
ELISION = re.compile(r"(?:LM*|(?P<two>LL))A(?=LM*L)")
"""What is before the apostrophe of l'eau or qu'une, in sorts, is a word of its own: one letter, or "qu"."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word as it is compared, and the characters of the text that it is."""

    text: str
    start: int
    end: int


@lru_cache(maxsize=1024)
def tokenize(text: str) -> tuple[Word, ...]:
    """The words of a text, without case, spaces, punctuation, and whether accents are composed.

    A character of a script without spaces is a word, and so is an emoji; `#` belongs to the number after it.
    Apostrophes are left out, unless one ends an elision.
    """
    return tuple(_tokenize(text))


@lru_cache(maxsize=1024)  # of its own: the terms of a config come back many times, and a tuple is made for each
def normalize_words(text: str) -> tuple[str, ...]:
    """The words of a text as they are compared."""
    if text.isascii() and text.replace(" ", "").isalnum():  # as most terms are: what is between spaces is a word
        return tuple(text.lower().split())
    return tuple(word.text for word in tokenize(text))


def _tokenize(text: str) -> Iterator[Word]:
    sorts = "".join(map(_classify, text))
    for match in WORD.finditer(sorts):
        start, end = match.span()
        while (elided := ELISION.match(sorts, start, end)) and _is_elision(text, elided):
            yield _word(text, start, elided.end())
            start = elided.end()
        yield _word(text, start, end)


def _is_elision(text: str, elided: re.Match[str]) -> bool:
    """Whether what is before an apostrophe is a word of its own, in Latin letters on both sides."""
    start, end = elided.span()
    if elided["two"]:
        return text[start : start + 2].casefold() == "qu"
    return all(normalize("NFD", text[at])[0] < "\u0250" for at in (start, end))


def _word(text: str, start: int, end: int) -> Word:
    written = text[start:end]
    if written.isascii() and written.isalnum():  # as most words are: nothing to compose, no apostrophe to leave out
        return Word(written.lower(), start, end)
    folded = normalize("NFKC", normalize("NFKC", written).casefold())
    return Word("".join(char for char in folded if _classify(char) not in "AF"), start, end)


@lru_cache(maxsize=4096)
def _classify(char: str) -> str:
    """What a character is to words: a letter, digit, mark, format, apostrophe, point, hash, symbol, or nothing.

    A character that this Python does not know yet is most likely a new emoji.
    """
    if char in APOSTROPHES:
        return "A"
    if char in "#\uff03":
        return "H"
    if char in ".,":
        return "P"
    if char in VOICED_MARKS:
        return "M"
    if any(first <= char <= last for first, last in UNSPACED_SCRIPTS) and category(char)[0] in "LN":
        return "U"
    if char in "\ufe0e\ufe0f":
        return "F"
    by_category = {"Nd": "D", "Nl": "L", "No": "L", "Cf": "F"}
    if category(char) in ("So", "Cn"):
        return " " if char in SILENT_SYMBOLS else "S"
    return by_category.get(category(char)) or {"L": "L", "M": "M"}.get(category(char)[0], " ")
