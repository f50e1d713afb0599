"""Quantities before a phrase: digits, or number words of the customer's language."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from trialrun.values.language_tag import canonicalize

NUMBERS = {
    "en": "one two three four five six seven eight nine ten eleven twelve",
    "es": "un/una/uno dos tres cuatro cinco seis siete ocho nueve diez once doce",
    "fr": "un/une deux trois quatre cinq six sept huit neuf dix onze douze",
    "de": "ein/eine/einen zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    "it": "un/una/uno due tre quattro cinque sei sette otto nove dieci undici dodici",
    "pt": "um/uma dois/duas três quatro cinco seis sete oito nove dez onze doze",
}
"""The words of one to twelve; in other languages a number is heard in digits alone."""
MAX_DIGITS = 3


def quantity_before(words: Sequence[str], index: int, language: str | None) -> tuple[int, int]:
    """The quantity that the words before an index say, and how many words say it; 1 and 0 where none do.

    It stands directly before: "2", "2x", "2 x", or a word from one to twelve in the customer's language.
    """
    times_words = 1 if index >= 2 and words[index - 1] == "x" else 0
    if index <= times_words:
        return 1, 0
    word = words[index - 1 - times_words]
    number = _digits_value(word) or _number_words(_primary_language(language)).get(word)
    return (number, 1 + times_words) if number else (1, 0)


def _digits_value(word: str) -> int:
    """The number that a word says in the digits of any script; 0 where it says none, or one of too many digits."""
    digits = word.removesuffix("x")
    return int(digits) if digits.isdecimal() and len(digits) <= MAX_DIGITS else 0


def singular_forms(word: str) -> tuple[str, ...]:
    """The words of which a word may be the plural by its ending."""
    if not word.endswith("s") or len(word) < 3:
        return ()
    ending = {word[:-1]: True, word[:-2]: word.endswith("es"), f"{word[:-3]}y": word.endswith("ies")}
    return tuple(text for text, fits in ending.items() if fits)


@lru_cache(maxsize=64)
def _number_words(language: str) -> dict[str, int]:
    spelled = NUMBERS.get(language, "").split()
    return {word: number for number, words in enumerate(spelled, 1) for word in words.split("/")}


@lru_cache(maxsize=256)
def _primary_language(language: str | None) -> str:
    return (canonicalize(language) or language).partition("-")[0].lower() if language else "en"
