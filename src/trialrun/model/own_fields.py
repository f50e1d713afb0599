"""Whether the fields of a mapping are those of a kind: other programs have a `syncConfig` and a `kind: Source`, too.

The keys that the kind has are counted against those that it does not have, down to the messages inside, each key once.
A misspelt key, and one that belongs elsewhere in the kind, counts for neither side.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from trialrun.model.node import Node
from trialrun.model.proto_json import field_type
from trialrun.model.unknown_field import find_owners, spellings
from trialrun.values.suggest import suggest

COMMON_FIELDS = frozenset({"apiVersion", "kind", "name", "id", "displayName", "display_name", "description", "type"})
"""Fields that say nothing: files of all programs have them."""
GENERIC_MESSAGES = frozenset({"syncConfig", "indexConfig", "vectorSearchConfig"})
"""Messages that other programs have by the same name, so that only their content counts."""
OTHER_RESOURCE_NAME = re.compile(
    r"projects/.*/(?!featureViews?/|channelConfigs?/|brands?/|featureOnlineStores?/|stores?/)[A-Za-z]+/[^/]+\Z"
)
MAX_KEYS = 100
"""Of a mapping or a list, the entries that are looked at."""


def count_fields(value: Mapping[str, Any], model: type[Node]) -> tuple[int, int]:
    """How many keys of a mapping the model of a kind has, and how many it does not have.

    The name of another resource is a key that it does not have.
    """
    name = value.get("name")
    keys = dict(_keys(value, model, model))
    is_of_another = isinstance(name, str) and OTHER_RESOURCE_NAME.match(name) is not None
    return sum(keys.values()), len(keys) - sum(keys.values()) + is_of_another


def _keys(value: Mapping[str, Any], model: type[Node], root: type[Node]) -> Iterator[tuple[tuple[str, str], bool]]:
    """The keys that count, each with its message, and whether it has them."""
    for key, inner in islice(value.items(), MAX_KEYS):
        name, place = spellings(model).get(key), (model.__name__, key)
        if key in COMMON_FIELDS or (name is not None and inner is None):
            continue
        if name is None:
            if suggest(key, model.model_fields) is None and not find_owners(key, root, (model.__name__,)):
                yield place, False
            continue
        type_ = field_type(model, name)
        if type_.model is None:
            yield place, not isinstance(inner, Mapping) or type_.values is not None
            continue
        items = inner if isinstance(inner, list) and type_.is_list else [inner][type_.is_list :]
        messages = [item for item in items[:MAX_KEYS] if isinstance(item, Mapping)]
        below = [found for message in messages for found in _keys(message, type_.model, root)]
        yield from below
        if inner and not messages:
            yield place, False
        elif name not in GENERIC_MESSAGES and (any(is_own for _, is_own in below) or not inner):
            yield place, True
