"""Occurrences of names, the fields of the model that contain them, and the declarations that they refer to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Final, Literal, cast, get_args

from trialrun.diagnostic import Chars, Path
from trialrun.lint.rule_support.menus import normalize_name
from trialrun.model.node import NameForm, Node, field_spec
from trialrun.values.resource_name import ResourceIndex, is_same_resource, last_id

NameKind = (
    Literal["config", "brand", "store", "binding", "item", "modifier", "modifier group", "daypart", "upsell"]
    | Literal["online store", "view", "feature group", "feature", "source", "column"]
    | Literal["session type", "session variable", "session field", "bound variable"]
)
Embedding = str
"""How a text inside of another text is spelled: `cel` in quotes, `script`, `quoted`, `cell`, or `path`."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A name that a file declares or references; `chars` if it is only a part of the text or key at `steps`.

    `forms` says whether it is a name, a semantic name, an id, or which of these. `scope` is the brand or project of the
    document, empty if unknown. `within` are the names of its group, the URI of its table, the type of a field, or the
    macro that binds a variable. `embeddings` are the spellings of the texts around it, innermost first. `entry` leads
    to the declaring message, whose other names refer to the same thing.
    """

    kind: NameKind
    text: str
    path: str
    document: int
    steps: Path
    declares: bool = False
    forms: tuple[NameForm, ...] = ("name",)
    scope: str = ""
    within: tuple[str, ...] = ()
    entry: Path = ()
    chars: Chars | None = None
    at_key: bool = False
    embeddings: tuple[Embedding, ...] = ()

    @property
    def thing(self) -> tuple[str, int, Path]:
        """The key that identifies the declared thing."""
        return self.path, self.document, self.entry


@dataclass(frozen=True, slots=True)
class NameField:
    """A field that contains a name, or a list of names, of a kind."""

    field: str
    kind: NameKind
    forms: tuple[NameForm, ...] = ("name",)
    declares: bool = False


KINDS: Final = frozenset(kind for kinds in get_args(NameKind) for kind in get_args(kinds))


@cache
def name_fields(model: type[Node]) -> tuple[NameField, ...]:
    """The fields of a message that declare or reference a name."""
    specs = {name: field_spec(model, name) for name in model.model_fields}
    return tuple(
        NameField(name, cast(NameKind, kind), spec.by, declares)
        for name, spec in specs.items()
        for kind, declares in ((spec.declares, True), (spec.names, False))
        if kind in KINDS
    )


RESOURCE_KINDS = frozenset[NameKind]({"config", "brand", "store", "view", "online store", "binding"})
"""Kinds of names that may be written in full or as the id at the end."""

MENU_KINDS = frozenset[NameKind]({"item", "modifier", "modifier group", "daypart"})


def lookup_key(occurrence: Occurrence) -> tuple[NameKind, str]:
    """The key that occurrences of the same name and kind share."""
    if occurrence.kind in RESOURCE_KINDS:
        return occurrence.kind, last_id(occurrence.text)
    return occurrence.kind, normalize_name(occurrence.text) if occurrence.kind in MENU_KINDS else occurrence.text


class NameResolver:
    """The occurrences of one key, and the declarations that each refers to."""

    def __init__(self, occurrences: Iterable[Occurrence]) -> None:
        self.occurrences = tuple(dict.fromkeys(occurrences))
        self.declared = tuple(one for one in self.occurrences if one.declares)

    def resolve(self, mention: Occurrence) -> Sequence[Occurrence]:
        """The declarations of a mention; for a declaration, itself and those equivalent to it."""
        scope, within = mention.scope, set(mention.within)
        if mention.kind == "config":
            return self._configs.resolve(mention.text, scope or None)
        if mention.kind == "source":
            return self.declared
        if mention.kind not in RESOURCE_KINDS | MENU_KINDS:
            same = [one for one in self.declared if not (scope and one.scope) or scope == one.scope]
            return [one for one in same if not within or within & set(one.within)]
        own = [one for one in self.declared if not (scope and one.scope) or is_same_resource(scope, one.scope)]
        if mention.kind in RESOURCE_KINDS:
            exact = [one for one in own if one.text == mention.text]
            return exact or [one for one in own if is_same_resource(one.text, mention.text)]
        declared = _of_first_form(mention, [one for one in own if set(mention.forms) & set(one.forms)])
        groups = {normalize_name(name) for name in within}
        return [one for one in declared if groups & {normalize_name(name) for name in one.within}] or declared

    @cached_property
    def _configs(self) -> ResourceIndex[Occurrence]:
        return ResourceIndex((one.text, one) for one in self.declared)


def _of_first_form(mention: Occurrence, declared: list[Occurrence]) -> list[Occurrence]:
    """Of a mention that falls back to another form of name: those of the first form that any of them has."""
    if mention.declares or "semantic name" not in mention.forms:
        return declared
    by_form = ([one for one in declared if form in one.forms] for form in mention.forms)
    return next(filter(None, by_form), declared)
