"""Fingerprints of findings that do not change when lines move: rule, resource and field path, list items by key.

A resource without a name is identified by the path of its file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from trialrun.diagnostic import Diagnostic, Path

ITEM_KEYS = (
    "name",
    "displayName",
    "languageCode",
    "featureGroupId",
    "itemName",
    "modifierName",
    "rule",
    "id",
    "priority",
)
"""The keys of list items that were in use when baselines were introduced, as one list.

Separate from the models' `item_key`, since cached findings need no models, and since adding a key would change
fingerprints in existing baselines. A test compares it with the models.
"""


def stable_path(value: Any, path: Path) -> str:
    """The path with list items by the first key that identifies them, otherwise by index.

    It starts at the resource; at the document if the resource has no name.
    """
    resource = _child(value, path[0]) if path and isinstance(value, list) else None
    if isinstance(resource, dict) and isinstance(resource.get("name"), str):
        value, path = resource, path[1:]
    steps: list[str] = []
    for step in path:
        value = _child(value, step)
        steps.append(_item_key(value, step) if isinstance(step, int) else step)
    return "\x1f".join(steps)


def _child(value: Any, step: str | int) -> Any:
    try:
        return value[step]
    except (LookupError, TypeError):
        return None


def _item_key(item: Any, index: int) -> str:
    if isinstance(item, dict):
        for key in ITEM_KEYS:
            if isinstance(item.get(key), (str, int)):
                return f"{key}={item[key]}"
    return f"={item}" if isinstance(item, str) else f"#{index}"


def with_unique_fingerprints(
    diagnostics: Sequence[Diagnostic], *, shared_path: Callable[[str], str] = lambda path: path
) -> list[Diagnostic]:
    """The diagnostics with unique fingerprints: equal ones are numbered in order.

    `shared_path` converts a path to one that is the same on every machine.
    """
    if not diagnostics:
        return []
    from hashlib import blake2b

    seen: Counter[tuple[str, str, str]] = Counter()
    result = []
    for diagnostic in diagnostics:
        key = (diagnostic.rule, diagnostic.resource or shared_path(diagnostic.path), diagnostic.fingerprint)
        ordinal = seen[key]
        seen[key] += 1
        text = "\x1e".join((*key, str(ordinal)))
        digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
        result.append(replace(diagnostic, fingerprint=digest))
    return result
