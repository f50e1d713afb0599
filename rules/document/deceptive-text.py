r"""Text with invisible or look-alike characters.

A control character that reverses the display order, a zero-width character, or a look-alike letter of another script
makes two names that nobody can tell apart: a reviewer sees one thing, and every program another. Ordinary text of any
language is not reported: joiners where a script or an emoji needs them, and sentences in two scripts.

Quotes that a word processor made curly are none to YAML but a part of the text, so that a column, an item or a term in
them is never found.

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

Bad, as WarehouseSource:

    uri: bq://p.d.t
    entityIdColumns: [“id”]  # <- the quotes “ and ” are a part of the text; write "id"

Fixed, as WarehouseSource:

    uri: bq://p.d.t
    entityIdColumns: [id]
"""

import re
from collections.abc import Iterator
from typing import Any

from trialrun.diagnostic import Finding, Fix, Path, Replace, Severity, SymbolicLocation
from trialrun.lint.engine import ResourceTexts
from trialrun.lint.rule import Findings, rule
from trialrun.lint.rule_support.texts import COLUMNS, IDS
from trialrun.values.deceptive import IN_QUOTES, SUSPECT
from trialrun.values.deceptive import check as problems_of

EXACT_FIELDS = {name for fields in (*COLUMNS.values(), *IDS.values()) for name in fields if name != "name"} | {
    *("etag", "upsoldItems", "suggestedMenuItems", "suggestedModifiers", "skipTerms", "customerTerms"),
    *("itemName", "modifierName", "modifierGroupName"),
}
"""Fields whose texts have to be equal to others, but for names and uris, which have a form and a rule about it."""


@rule(ResourceTexts, severity=Severity.WARNING)
def check(texts: ResourceTexts) -> Findings:
    """Flag the characters, in keys and in values."""
    for text, path, is_key in _texts(texts.value, texts.path, SUSPECT):
        for problem in problems_of(text):
            chars = (problem.start, problem.end)
            yield Finding(problem.message, SymbolicLocation(None, path), at="key" if is_key else "place", chars=chars)


@rule(ResourceTexts, severity=Severity.WARNING)
def check_quotes(texts: ResourceTexts) -> Findings:
    """Flag a text in typographic quotes where it has to be equal to another."""
    for text, path, is_key in _texts(texts.value, texts.path, IN_QUOTES):
        match = IN_QUOTES.fullmatch(text)
        name = next((step for step in reversed(path) if isinstance(step, str)), "")
        if match and name in EXACT_FIELDS and not is_key:
            inner, location = match[1] or match[2], SymbolicLocation(None, path)
            fix = Fix(f"write {inner}", (Replace(location, inner),))
            message = f'the quotes {text[0]} and {text[-1]} are a part of the text; write "{inner}"'
            yield Finding(message, location, fix=fix)


def _texts(value: Any, path: Path, pattern: re.Pattern[str]) -> Iterator[tuple[str, Path, bool]]:
    """The texts of a value with a match of the pattern, with the way to each, and whether it is a key."""
    waiting = [(value, path)]
    while waiting:
        inner, steps = waiting.pop()
        if isinstance(inner, str):
            if pattern.search(inner):
                yield inner, steps, False
        elif isinstance(inner, dict):
            yield from ((key, (*steps, key), True) for key in inner if isinstance(key, str) and pattern.search(key))
            waiting.extend((entry, (*steps, key)) for key, entry in inner.items())
        elif isinstance(inner, list):
            waiting.extend((item, (*steps, index)) for index, item in enumerate(inner))
