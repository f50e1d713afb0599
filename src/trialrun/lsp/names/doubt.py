"""Texts that may speak of what a name means, and may as well not: what is said, instructions, terms, patterns."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any, Final

from trialrun.diagnostic import Path
from trialrun.lsp.names.mention import Mention
from trialrun.values.resource_name import is_same

if TYPE_CHECKING:
    from trialrun.tree import Document
    from trialrun.workspace.live import Live

MOST_DOUBTED: Final = 200
"""Places that are told at most: nobody confirms more of them one by one."""
_TALKED_OF: Final = frozenset(
    {"item", "modifier", "modifier group", "upsell", "config", "binding", "store", "feature group", "source"}
)
_NOT_SAID: Final = frozenset({"kind", "createTime", "updateTime", "etag"})


def doubted(live: Live, one: Mention, text: str, known: Collection[Mention]) -> list[Mention]:
    """Where a text stands as words of its own and no name is known to be; `known` are the names that change."""
    from trialrun.lsp.names.gathering import scope_of
    from trialrun.lsp.names.known import mentions, saying

    if one.sort not in _TALKED_OF or len(text) < 2:
        return []
    found: list[Mention] = []
    words = re.compile(rf"(?<![\w/-]){re.escape(text)}(?![\w/-]|\.\w)")
    may_say = saying(text)
    for reading in live.readings():
        if not may_say(reading.data) or not reading.parts:
            continue
        named = {(each.document, each.steps, each.at_key) for each in mentions(live, reading) if each.chars is None}
        spans = [each for each in mentions(live, reading) if each.chars is not None]
        others = [part for part in reading.parts if _is_of_another(scope_of(part.fitted.node), one.scope)]
        for document in reading.tree.documents:
            apart = [part.root for part in others if part.document is document]
            for steps, chars in _places(document, words):
                if any(steps[: len(root)] == root for root in apart):
                    continue
                there = document.index, steps, False
                is_known = there in named or any(
                    (each.document, each.steps, each.at_key) == there and _meet(each.chars, chars) for each in spans
                )
                if not is_known and not document.shared(steps):
                    found.append(Mention(one.sort, text, reading.path, document.index, steps, chars=chars))
        if len(found) >= MOST_DOUBTED:
            break
    return found[:MOST_DOUBTED]


def _is_of_another(scope: str, own: str) -> bool:
    """Whether a document is about another brand, or another project."""
    return bool(scope and own) and not is_same(scope, own)


def _meet(one: Any, other: tuple[int, int]) -> bool:
    return bool(one[0] < other[1] and other[0] < one[1])


def _places(document: Document, words: re.Pattern[str]) -> Iterator[tuple[Path, tuple[int, int]]]:
    """The texts of a document, and the characters of each that are the words."""
    waiting: list[tuple[Path, Any]] = [((), document.value)]
    while waiting:
        steps, value = waiting.pop()
        if isinstance(value, str):
            if not steps or steps[-1] not in _NOT_SAID:
                yield from ((steps, match.span()) for match in words.finditer(value))
        elif isinstance(value, dict):
            waiting.extend(((*steps, key), each) for key, each in value.items())
        elif isinstance(value, list):
            waiting.extend(((*steps, at), each) for at, each in enumerate(value))
