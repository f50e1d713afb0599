"""The words of Terraform in diagnostics of its files: rules speak of fields, these files of arguments and resources.

Every diagnostic of a file passes here, of rules on one file and of rules across files. The table is made of the schema
in the parser, so that a new argument has its word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Final

from trialrun.diagnostic import Diagnostic

if TYPE_CHECKING:
    from trialrun.parser.terraform.schema import Argument

OWN_WORDS: Final = {
    "vectorSearchConfig": "vector_search_config",
    "FeatureGroup": "feature_groups",
    "FeatureView": "feature view",
    "FeatureOnlineStore": "online store",
    "FeatureGroupTable": "feature group",
    "featureGroupId": "feature_group_id",
    "{featureView}": "name",
    "{featureOnlineStore}": "feature_online_store",
    "KEY_VALUE": "bigtable",
    "OPTIMIZED": "optimized",
    "this document": "this resource",
    "This document": "This resource",
    ", which holds the timestamp where no timestampColumn is set; set it": ", which holds the timestamp; add it",
}
ABSENT: Final = "ragSource|optimizedConfig|serviceAgentType"
"""Fields that the provider does not have."""
_last_choice = re.compile(rf"(\w+), (\w+) (or|and) (?:{ABSENT})\b")
_choice = re.compile(rf"(?:, | or | and )(?:{ABSENT})\b|\b(?:{ABSENT})(?:, | or | and )")
_name_format = re.compile(r"add one such as projects/\{project\}/\S+")
_stand_in = re.compile(r"[^\s\"'`]*/(\$\{[^{}@]*)@[^{}]*(\})|(\$\{[^{}@]*)@[^{}]*(\})")
_name_with_stand_in = re.compile(r"projects/[^\s\"'`]*?\$\{[^{}]*@[^\n\"'`]*?/([^/\s\"'`{}]+)(?=[\"'`])")


def in_words_of_terraform(diagnostic: Diagnostic, origin: str = "") -> Diagnostic:
    """The diagnostic in the words of its file; `origin` is what says the value, where that is not its place."""
    message = _translate(diagnostic.message)
    return replace(
        diagnostic,
        message=f"in {origin}: {message}" if origin else message,
        help=diagnostic.help and _translate(diagnostic.help),
        related=tuple(replace(related, message=_translate(related.message)) for related in diagnostic.related),
        fix=diagnostic.fix and replace(diagnostic.fix, title=_translate(diagnostic.fix.title)),
        refusal=diagnostic.refusal and _translate(diagnostic.refusal),
    )


def _translate(text: str) -> str:
    text = _choice.sub("", _last_choice.sub(r"\1 \3 \2", text))
    text = _name_format.sub("set name", text)
    text = _name_with_stand_in.sub(r"\1", text)
    text = _stand_in.sub(lambda match: (match[1] or match[3]) + (match[2] or match[4]), text)
    words = _words()
    return _pattern().sub(lambda match: words[match[0]], text)


@cache
def _words() -> Mapping[str, str]:
    from trialrun.parser.terraform.schema import FEATURE_VIEW

    return {**dict(_pairs(FEATURE_VIEW)), **OWN_WORDS}


@cache
def _pattern() -> re.Pattern[str]:
    words = sorted(_words(), key=len, reverse=True)
    return re.compile(rf"(?<![\w.])(?:{'|'.join(map(re.escape, words))})(?!\w)")


def _pairs(arguments: Mapping[str, Argument]) -> Iterator[tuple[str, str]]:
    """Each field and each message of a block, with the name of its argument."""
    for name, argument in arguments.items():
        if argument.field != name:
            yield argument.field, name
        if argument.type in ("block", "blocks"):
            yield argument.field[0].upper() + argument.field[1:], name
        yield from _pairs(argument.arguments)
