"""The vendor's words in messages: what its clients read must name the fields that they sent."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from trialrun.importers.vendor_spelling import VENDOR_FIELDS
from trialrun.values.suggest import snake_case


def _capitalized(name: str) -> str:
    return name[:1].upper() + name[1:]


WORDS: Mapping[str, str] = {
    form(name): form(vendor) for name, vendor in VENDOR_FIELDS.items() for form in (str, snake_case, _capitalized)
}
"""The vendor's words by those of the specifications: names of fields in both spellings, and of messages."""
WORD = re.compile(rf"\b({'|'.join(WORDS)})\b")


def vendor_text(text: str, *, kept: Iterable[str] = ()) -> str:
    """A message in the vendor's words, but for those that are to be kept."""
    return WORD.sub(lambda word: word[0] if word[0] in kept else WORDS[word[0]], text)


def words_of_the_client(request: Mapping[str, Any], texts: Iterable[str]) -> frozenset[str]:
    """The words of some texts that a client wrote itself, such as a label: the texts may quote them."""
    words = {word for text in texts for word in WORD.findall(text)}
    sent = json.dumps(request, default=str) if words else ""
    return frozenset(word for word in words if re.search(rf"\b{word}\b", sent))
