"""How many: the number that stands before what a customer names."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from trialrun.values.language_tag import canonical

NUMBERS = {
    "en": "one two three four five six seven eight nine ten eleven twelve",
    "es": "un/una/uno dos tres cuatro cinco seis siete ocho nueve diez once doce",
    "fr": "un/une deux trois quatre cinq six sept huit neuf dix onze douze",
    "de": "ein/eine/einen zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    "it": "un/una/uno due tre quattro cinque sei sette otto nove dieci undici dodici",
    "pt": "um/uma dois/duas três quatro cinco seis sete oito nove dez onze doze",
}
"""The words of one to twelve; in other languages a number is heard in digits alone."""
MOST_DIGITS = 3


def quantity_before(words: Sequence[str], at: int, language: str | None) -> tuple[int, int]:
    """The quantity that the words before an index say, and how many words say it; 1 and 0 where none do.

    It stands directly before: "2", "2x", "2 x", or a word from one to twelve in the customer's language.
    """
    times = 1 if at >= 2 and words[at - 1] == "x" else 0
    if at <= times:
        return 1, 0
    said = words[at - 1 - times]
    number = _number(said) or _numbers(_primary(language)).get(said)
    return (number, 1 + times) if number else (1, 0)


def _number(said: str) -> int:
    """The number that a word says in the digits of any script; 0 where it says none, or one of too many digits."""
    digits = said.removesuffix("x")
    return int(digits) if digits.isdecimal() and len(digits) <= MOST_DIGITS else 0


def singular(word: str) -> tuple[str, ...]:
    """The words of which a word may be the plural by its ending."""
    if not word.endswith("s") or len(word) < 3:
        return ()
    ending = {word[:-1]: True, word[:-2]: word.endswith("es"), f"{word[:-3]}y": word.endswith("ies")}
    return tuple(text for text, fits in ending.items() if fits)


@lru_cache(maxsize=64)
def _numbers(language: str) -> dict[str, int]:
    spelled = NUMBERS.get(language, "").split()
    return {word: number for number, words in enumerate(spelled, 1) for word in words.split("/")}


@lru_cache(maxsize=256)
def _primary(language: str | None) -> str:
    return (canonical(language) or language).partition("-")[0].lower() if language else "en"
