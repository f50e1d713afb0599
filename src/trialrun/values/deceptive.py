"""Texts that look like other texts: hidden characters, and words of letters of two scripts that look alike (UTS 39).

Ordinary text of any language has nothing of this: joiners stand where a script or an emoji sequence uses them, and two
scripts in one sentence, or in one word whose letters look nothing alike (`kΩ`, `μm`), are as they should be.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from trialrun.values import Problem

MAX_PROBLEMS = 20
"""The most problems that are reported for one text."""
BIDI = re.compile("[\u202a-\u202e\u2066-\u2069]+")
HIDDEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2060-\u2064\u206a-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\U000e0000-\U000e01ef]+"
)
A_QUOTE = re.compile("[“„‟”«»‘‚‛’‹›]")
IN_QUOTES = re.compile(r"[“„‟”«»]([^“„‟”«»\r\n]+)[“‟”«»]|[‘‚‛’‹›]([^‘‚‛’‹›\r\n]+)[‘‛’‹›]")
"""A text in typographic quotes, which are none to YAML."""
WORD = re.compile(r"[^\W\d_]+")
SUSPECT = re.compile(
    "[\u00ad\u034f\u0370-\u058f\u061c\u115f\u1160\u13a0-\u13ff\u17b4\u17b5\u180b-\u180f\u1c80-\u1c8f\u1d00-\u1dbf"
    "\u1f00-\u1fff\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2c80-\u2cff\u2de0-\u2dff\u3164\ua4d0-\ua4ff\ua640-\ua69f"
    "\uab30-\uabbf\ufb13-\ufb17\ufe00-\ufe0f\ufe2e\ufe2f\ufeff\uff21-\uff3a\uff41-\uff5a\uffa0\U00010140-\U0001018f\U000102e0-\U000102ff\U00011fb0"
    "\U0001d200-\U0001d7ff\U0001e030-\U0001e08f\U000e0000-\U000e01ef]"
)
"""What a text has that is not what it looks like: a control, a character without a width, or a letter of another script
that looks like Latin. Most texts have none, in most languages, and nothing more is asked of them."""
ASCII = bytes(range(128))
ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{2}))")
EMOJI_HALVES = range(0xD83C, 0xD83F)

JOINING = frozenset(
    {
        *("ARABIC", "SYRIAC", "MONGOLIAN", "NKO", "MANDAIC", "ADLAM", "DEVANAGARI", "BENGALI", "GURMUKHI", "GUJARATI"),
        *("ORIYA", "TAMIL", "TELUGU", "KANNADA", "MALAYALAM", "SINHALA", "KHMER", "MYANMAR", "TIBETAN", "BALINESE"),
        *("JAVANESE", "PHAGS-PA", "THAANA"),
    }
)
"""Scripts in which a joiner, or what keeps letters from joining, makes a difference that is seen."""
WITHOUT_SPACES = frozenset({"THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN", "BALINESE", "JAVANESE", "TAI", "NEW", "CJK"})
"""Scripts in which a space without a width says where a line may break."""
LOOKALIKES = {
    "LATIN": frozenset("ABCEHIJKMNOPSTVXYZaceijosuvxyphbdlwgq"),
    "CYRILLIC": frozenset("АВЕЅІЈКМНОРСТХУЗаеѕіјорсухһԁԛԝӏьѵӀԌԍ"),
    "GREEK": frozenset("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοανιρυϲϳ"),
    "ARMENIAN": frozenset("օոսհցյՕՏՍՈզ"),
}
"""Letters that look like a letter of another of these scripts."""
LOOKALIKE_SCRIPTS = frozenset({"CHEROKEE", "LISU", "COPTIC", "FULLWIDTH", "MATHEMATICAL"})
"""Scripts, and styles that have code points of their own, of which a letter in a word of another one is not an
accident.
"""


def may_deceive(source: str) -> bool:
    """Whether a file may have a text that is not what it looks like, written as it is or by an escape.

    Most files in most languages have no such character, so that their texts need no closer look.
    """
    letters = source.encode("utf-8", "surrogatepass").translate(None, ASCII).decode("utf-8", "surrogatepass")
    if SUSPECT.search(letters) or (A_QUOTE.search(letters) and IN_QUOTES.search(source)):
        return True
    if "\\" not in source:
        return False
    codes = {int(code, 16) for code_points in ESCAPE.findall(source) for code in code_points if code}
    # or it is the first half of a character beyond those of 16 bits, the usual emoji left out
    halves = {code for code in codes if 0xD800 <= code < 0xDC00 and code not in EMOJI_HALVES}
    return bool(halves) or any(SUSPECT.match(chr(code)) for code in codes if code < 0x110000)


@lru_cache(maxsize=4096)
def check(text: str) -> tuple[Problem, ...]:
    """What in a text is not what it looks like, in its order.

    Codes: "bidi" (controls that reorder what is shown), "hidden" (characters without a width where no script needs
    them), "mixed" (a word of look-alike letters of two scripts).
    """
    if not SUSPECT.search(text):
        return ()
    problems = sorted([*_odd_characters(text), *_mixed_scripts(text)], key=lambda problem: problem.start)
    return tuple(problems[:MAX_PROBLEMS])


def _odd_characters(text: str) -> Iterator[Problem]:
    for run in BIDI.finditer(text):
        message = f"{describe_characters(run[0])} changes the display order of the text; remove it"
        yield Problem("bidi", run.start(), run.end(), message)
    for run in HIDDEN.finditer(text):
        start = next((at for at in range(run.start(), run.end()) if not _is_legitimate(text, at)), None)
        if start is not None:
            message = f"{describe_characters(text[start : run.end()])} is invisible and not needed here; remove it"
            yield Problem("hidden", start, run.end(), message)


def _is_legitimate(text: str, at: int) -> bool:
    """Whether a character without a width is where a script, or a sequence of emoji, uses it."""
    char, before, after = text[at], text[at - 1 : at], text[at + 1 : at + 2]
    if char in "\u200e\u200f\u061c":
        return any(unicodedata.bidirectional(other) in ("R", "AL") for other in text if other not in "\u200f\u061c")
    if char in "\u200c\u200d":
        # behind a picture, with its variant and the tone of its skin
        last = text[:at].rstrip("\ufe0f\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")[-1:]
        is_emoji = char == "\u200d" and all(unicodedata.category(one or "a") == "So" for one in (last, after))
        return is_emoji or script(before) in JOINING
    if char == "\u200b":
        return script(before) in WITHOUT_SPACES or script(after) in WITHOUT_SPACES
    if "\ufe00" <= char <= "\ufe0f":
        return _takes_variation_selector(before)
    if char >= "\U000e0100":
        return script(before) == "CJK"
    if char >= "\U000e0020":
        return text[:at].rstrip("".join(map(chr, range(0xE0020, 0xE0080)))).endswith("\U0001f3f4")
    if "\u180b" <= char <= "\u180f":
        return script(before) == "MONGOLIAN"
    if char in "\u115f\u1160":
        return script(before) == "HANGUL" or script(after) == "HANGUL"
    return char == "\u034f" and script(before) == "HEBREW"


def _takes_variation_selector(before: str) -> bool:
    """Whether a character has variants: a sign, a digit of a keycap, or a letter of few scripts."""
    if not before:
        return False
    is_sign = unicodedata.category(before) in ("So", "Sm", "Sk", "Po", "Nd", "Pd")
    return is_sign or script(before) in ("CJK", "MYANMAR", "PHAGS-PA", "MONGOLIAN")


def _mixed_scripts(text: str) -> Iterator[Problem]:
    for word in WORD.finditer(text):
        if not word[0].isascii() and (odd := _odd_letters(word[0])):
            at = next(at for at, letter in enumerate(word[0]) if letter in odd)
            scripts = sorted({script(letter) for letter in word[0]} & SCRIPTS)
            names = " and ".join(name.capitalize() for name in scripts)
            what = f"{describe_characters(word[0][at])} is in a word of {names} letters that look alike"
            yield Problem("mixed", word.start() + at, word.start() + at + 1, f"{what}; write it in one script")


def _odd_letters(word: str) -> set[str]:
    """The letters of the rarer script of a word of two, where all of them look like those of the other one."""
    by_script: dict[str, list[str]] = {}
    for letter in word:
        if (name := script(letter)) in SCRIPTS:
            by_script.setdefault(name, []).append(letter)
    if len(by_script) < 2:
        return set()
    fewest = min(map(len, by_script.values()))
    rarer = [name for name, letters in by_script.items() if len(letters) == fewest]
    is_alike = all(
        name in LOOKALIKE_SCRIPTS or LOOKALIKES.get(name, frozenset()).issuperset(by_script[name]) for name in rarer
    )
    odd = next((name for name in reversed(rarer) if name != "LATIN"), rarer[0])
    return set(by_script[odd]) if is_alike else set()


SCRIPTS = frozenset({*LOOKALIKES, *LOOKALIKE_SCRIPTS})


@lru_cache(maxsize=4096)
def script(char: str) -> str:
    """The script of a character, by the first word of its Unicode name; empty without one."""
    return unicodedata.name(char, "").partition(" ")[0] if char else ""


def describe_characters(chars: str) -> str:
    """Characters by code point and name, never as they are: `U+202E RIGHT-TO-LEFT OVERRIDE`."""
    first = f"U+{ord(chars[0]):04X} {unicodedata.name(chars[0], 'without a name')}"
    return first if len(chars) == 1 else f"{first} (and {len(chars) - 1} more)"
