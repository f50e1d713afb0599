"""The errors of a document that speak against removing something from it, as the fixes ask for them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Path
from trialrun.fix.removal_safety import Errors, by_paths_above
from trialrun.parser import Document, Tree

if TYPE_CHECKING:
    from trialrun.model.misfit import Misfit
    from trialrun.model.node import Node
    from trialrun.model.validated import Fitted

REPAIRS = ("syntax-error", "resource-limit")
"""Rules of the reader that leave lines out, or read on by a guess."""
REPEATED = ("duplicate-key", "tagged-value")
"""Rules of the reader about one place that was read."""
MISPLACED = ("unknown-field", "duplicate-key")
ANYWHERE = frozenset({"name", "displayName", "description", "type", "disabled", "priority"})
"""Fields that a message whose fields are not shown may have as well."""
SOUND = ("non-canonical-form",)
"""Misfits whose value is kept."""


def removal_errors(tree: Tree, document: Document, fitted: Fitted | None) -> Errors:
    """The errors of a document, and of one resource in it where it is a resource's removal."""
    troubles = [trouble for trouble in tree.troubles if trouble.document == document.index]
    misfits = fitted.misfits if fitted else []
    repeated = (trouble.path for trouble in troubles if trouble.rule in REPEATED and trouble.path is not None)
    misplaced = (misfit.path for misfit in misfits if _is_misplaced(misfit))
    strays = _strays(document, fitted) if fitted else ()
    return Errors(
        any(trouble.rule in REPAIRS for trouble in troubles),
        by_paths_above((*repeated, *misplaced, *strays)),
        by_paths_above(misfit.path for misfit in misfits if misfit.rule not in SOUND),
    )


def _is_misplaced(misfit: Misfit) -> bool:
    """Whether a key or a value stands where its message has no room for it."""
    if misfit.rule == "wrong-type":
        return isinstance(misfit.path[-1] if misfit.path else "", int) or isinstance(
            getattr(misfit, "value", None), dict | list
        )
    return misfit.rule in MISPLACED


def _strays(document: Document, fitted: Fitted) -> Iterator[Path]:
    """Fields of the resource inside of messages whose fields are open, which therefore nobody else tells."""
    from trialrun.model.node import fields_of_mode

    model = type(fitted.node)
    for name in fields_of_mode(model, "output only") & fitted.node.model_fields_set:
        path = fitted.path(fitted.node.at(name))
        value = _value_at(document.value, path)
        if isinstance(value, list):
            yield from _keys_below(value, _fields_below(model), path)


@cache
def _fields_below(model: type[Node]) -> frozenset[str]:
    """The fields of a resource that hold messages, and all fields of these but for names that anything may have."""
    from trialrun.model.node import parts

    names: set[str] = set()
    seen: set[type[Node]] = set()
    waiting = [model]
    while waiting:
        inner = [(name, part) for name, _, part in parts(waiting.pop()) if part not in seen]
        names.update(name for name, _ in inner)
        for _, part in inner:
            names.update(part.model_fields)
        seen.update(part for _, part in inner)
        waiting += {part for _, part in inner}
    return frozenset(_spelled_alike(name) for name in names - ANYWHERE)


def _keys_below(value: Any, wanted: Collection[str], path: Path) -> Iterator[Path]:
    """The paths of the wanted keys at any depth, but not of those below them; one that lost its colon goes on."""
    waiting: list[tuple[Any, Path]] = [(value, path)]
    while waiting:
        node, here = waiting.pop()
        steps = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
        for step, entry in steps:
            if isinstance(step, str) and _spelled_alike(step) in wanted:
                yield (*here, step)
            else:
                waiting.append((entry, (*here, step)))


def _spelled_alike(key: str) -> str:
    """The first word of a key without its case and separators."""
    return key.partition(" ")[0].replace("_", "").replace("-", "").lower()


def _value_at(value: Any, path: Path) -> Any:
    for step in path:
        value = value[step]
    return value
