"""Errors of a document that make it unsafe to remove content."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Path
from trialrun.fix.removal_safety import RemovalErrors, index_by_ancestors
from trialrun.parser import Document, ParsedFile

if TYPE_CHECKING:
    from trialrun.model.misfit import Misfit
    from trialrun.model.node import Node
    from trialrun.model.validated import ValidatedModel

UNREAD_TEXT_RULES = ("syntax-error", "resource-limit")
"""Parse errors that skip lines, or continue with a guess."""
SINGLE_VALUE_RULES = ("duplicate-key", "tagged-value")
"""Parse errors about a single value that was read."""
MISPLACED_RULES = ("unknown-field", "duplicate-key")
COMMON_FIELDS = frozenset({"name", "displayName", "description", "type", "disabled", "priority"})
"""Fields that other messages may have, too."""
VALUE_KEPT_RULES = ("non-canonical-form",)
"""Misfits whose value is kept."""


def removal_errors(parsed: ParsedFile, document: Document, fitted: ValidatedModel | None) -> RemovalErrors:
    """The errors of a document that affect removals, and those of the resource in it."""
    errors = [error for error in parsed.errors if error.document == document.index]
    misfits = fitted.misfits if fitted else []
    repeated = (error.path for error in errors if error.rule in SINGLE_VALUE_RULES and error.path is not None)
    misplaced = (misfit.path for misfit in misfits if _is_misplaced(misfit))
    strays = _stray_fields(document, fitted) if fitted else ()
    return RemovalErrors(
        any(error.rule in UNREAD_TEXT_RULES for error in errors),
        index_by_ancestors((*repeated, *misplaced, *strays)),
        index_by_ancestors(misfit.path for misfit in misfits if misfit.rule not in VALUE_KEPT_RULES),
    )


def _is_misplaced(misfit: Misfit) -> bool:
    """Whether a misfit is about a key or value in the wrong place."""
    if misfit.rule == "wrong-type":
        return isinstance(misfit.path[-1] if misfit.path else "", int) or isinstance(
            getattr(misfit, "value", None), dict | list
        )
    return misfit.rule in MISPLACED_RULES


def _stray_fields(document: Document, fitted: ValidatedModel) -> Iterator[Path]:
    """Fields of the resource inside of messages with arbitrary keys, where no other rule reports them."""
    from trialrun.model.node import fields_of_mode

    model = type(fitted.node)
    for name in fields_of_mode(model, "output only") & fitted.node.model_fields_set:
        path = fitted.path(fitted.node.location(name))
        value = _value_at(document.value, path)
        if isinstance(value, list):
            yield from _keys_below(value, _fields_below(model), path)


@cache
def _fields_below(model: type[Node]) -> frozenset[str]:
    """The names of nested fields of a resource, except for names that other messages may have."""
    from trialrun.model.node import message_fields

    names: set[str] = set()
    seen: set[type[Node]] = set()
    waiting = [model]
    while waiting:
        inner = [(name, part) for name, _, part in message_fields(waiting.pop()) if part not in seen]
        names.update(name for name, _ in inner)
        for _, part in inner:
            names.update(part.model_fields)
        seen.update(part for _, part in inner)
        waiting += {part for _, part in inner}
    return frozenset(_normalize(name) for name in names - COMMON_FIELDS)


def _keys_below(value: Any, wanted: Collection[str], path: Path) -> Iterator[Path]:
    """The paths of the wanted keys at any depth, but not below other wanted keys."""
    waiting: list[tuple[Any, Path]] = [(value, path)]
    while waiting:
        node, here = waiting.pop()
        steps = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
        for step, entry in steps:
            if isinstance(step, str) and _normalize(step) in wanted:
                yield (*here, step)
            else:
                waiting.append((entry, (*here, step)))


def _normalize(key: str) -> str:
    """The first word of a key without case and separators."""
    return key.partition(" ")[0].replace("_", "").replace("-", "").lower()


def _value_at(value: Any, path: Path) -> Any:
    for step in path:
        value = value[step]
    return value
