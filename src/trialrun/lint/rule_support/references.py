"""Names by which one document refers to another: how they are gathered, and which declared name a written one means."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from trialrun.lint.file_result import Fact
from trialrun.values.resource_name import is_of_other_brand, is_same_resource, last_id
from trialrun.values.suggest import NameIndex

if TYPE_CHECKING:
    from trialrun.diagnostic import SymbolicLocation
    from trialrun.model.node import Node

NameOrNames = str | list[str]
"""A name, or the names of a list, at whose place the fact then is."""


def referenced_names(node: Node, field: str) -> Iterable[tuple[SymbolicLocation, NameOrNames]]:
    """The name or the names of a field as one value; one by one where some were refused and the others moved up.

    A list that lost items is of a class of its own, `TruncatedList`.
    """
    names: NameOrNames | None = getattr(node, field)
    if not names:
        return ()
    if type(names) is list or isinstance(names, str):
        return ((node.location(field), names),)
    return ((node.location(field, index), name) for index, name in enumerate(names))


def split_names(fact: Fact, names: NameOrNames) -> Iterator[tuple[Fact, str]]:
    """Each name of a fact, with the fact at its own place."""
    if isinstance(names, str):
        yield fact, names
    else:
        yield from ((fact.item(index), name) for index, name in enumerate(names))


def has_config_of(brand: str, names: Iterable[str | None]) -> bool:
    """Whether one of the names of configs says that it is under a brand."""
    return any(name and "/" in name and not is_of_other_brand(name, brand) for name in names)


def name_of_resource(fact: Fact) -> Fact:
    """The fact at the name of its resource; a document may be a list of resources."""
    root = fact.steps[:1] if isinstance(fact.steps[0], int) else ()
    return replace(fact, steps=(*root, "name"))


class DeclarationIndex:
    """Facts by the names that they declare; a full name means the one of that name, an id every one that ends so."""

    def __init__(self, facts: Iterable[tuple[str, Fact]]) -> None:
        self._by_name: dict[str, list[Fact]] = {}
        self._names_by_id: dict[str, dict[str, None]] = {}
        self._found: dict[str, list[Fact]] = {}
        for name, fact in facts:
            self._by_name.setdefault(name, []).append(fact)
            self._names_by_id.setdefault(last_id(name), {})[name] = None
        self._ids = NameSuggester(self._names_by_id)

    def find(self, name: str) -> list[Fact]:
        """The facts that a written name means: those of exactly this name, else those that share its end."""
        facts = self._found.get(name)
        if facts is None:
            same = (other for other in self._names_by_id.get(last_id(name), ()) if is_same_resource(other, name))
            facts = self._by_name.get(name) or [fact for other in same for fact in self._by_name[other]]
            self._found[name] = facts
        return facts

    def did_you_mean(self, name: str, *, otherwise: str) -> str:
        """The end of a message: the declared name with this id, or one that is close, else what else to do.

        The id alone stands for a name under the same parent.
        """
        id_ = last_id(name)
        near = id_ if id_ in self._ids else self._ids.suggest(id_)
        if near is None:
            return f"; {otherwise}"
        parent = name.removesuffix(id_)
        names = self._names_by_id[near]
        meant = near if not parent or parent + near in names else next(iter(names))
        return f'; did you mean "{meant}"?'


class NameSuggester:
    """A set of names that finds the one that a misspelt name was clearly intended to be, without a look at each.

    Only names that share pairs of letters with it are compared, those that share rare pairs first.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._index = NameIndex(names)

    def __contains__(self, name: str) -> bool:
        return name in self._index

    def suggest(self, name: str) -> str | None:
        """The one name that differs only in case and separators, or is close by spelling; None when there is none."""
        from trialrun.values.suggest import suggest

        return suggest(name, self._index.similar_names(name))

    def did_you_mean(self, name: str, *, otherwise: str) -> str:
        """The end of a message: the name that was meant, else what else to do."""
        near = self.suggest(name)
        return f'; did you mean "{near}"?' if near else f"; {otherwise}"
