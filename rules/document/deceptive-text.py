r"""Text with invisible or look-alike characters.

A control character that reverses the display order, a zero-width character, or a look-alike letter of another script
makes two names that nobody can tell apart: a reviewer sees one thing, and every program another. Ordinary text of any
language is not reported: joiners where a script or an emoji needs them, and sentences in two scripts.

Basis: best practice; Unicode Technical Standard 39, mixed-script detection.

Good, as Greetings:

    languageCode: fa
    greetingPhrases: ["می‌خواهم", "👩‍👩‍👧 Welcome", "Пицца и Wi-Fi", "Tシャツ", "10 kΩ"]

Bad, as Greetings:

    languageCode: en
    greetingPhrases:
      - "Fries \u202Eseirf"  # <- U+202E RIGHT-TO-LEFT OVERRIDE changes the display order of the text
      - "Fri\u200Bes"  # <- U+200B ZERO WIDTH SPACE is invisible and not needed here

Bad, as OfferMessage:

    upsoldItems: ["Fri\u0435s"]  # <- U+0435 CYRILLIC SMALL LETTER IE is in a word of Cyrillic and Latin letters
"""

from collections.abc import Iterator
from typing import Any

from trialrun.diagnostic import Finding, Path, Severity, SymbolicLocation
from trialrun.lint.engine import ResourceTexts
from trialrun.lint.rule import Findings, rule
from trialrun.values.deceptive import SUSPECT
from trialrun.values.deceptive import check as problems_of


@rule(ResourceTexts, severity=Severity.WARNING)
def check(texts: ResourceTexts) -> Findings:
    """Flag the characters, in keys and in values."""
    for text, path, is_key in _texts(texts.value, texts.path):
        for problem in problems_of(text):
            chars = (problem.start, problem.end)
            yield Finding(problem.message, SymbolicLocation(None, path), at="key" if is_key else "place", chars=chars)


def _texts(value: Any, path: Path) -> Iterator[tuple[str, Path, bool]]:
    """The texts of a value that need a closer look, with the way to each, and whether it is a key."""
    waiting = [(value, path)]
    while waiting:
        inner, steps = waiting.pop()
        if isinstance(inner, str):
            if SUSPECT.search(inner):
                yield inner, steps, False
        elif isinstance(inner, dict):
            yield from ((key, (*steps, key), True) for key in inner if isinstance(key, str) and SUSPECT.search(key))
            waiting.extend((entry, (*steps, key)) for key, entry in inner.items())
        elif isinstance(inner, list):
            waiting.extend((item, (*steps, index)) for index, item in enumerate(inner))
