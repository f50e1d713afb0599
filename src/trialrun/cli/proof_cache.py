"""Proofs that earlier runs made, in the database of results: of the same configuration they are read, not made again.

The key is a digest of all that a proof depends on: the tool and its libraries, z3 and the engine among them, the
effective configuration with the order of its upsells, the menu, the session types, the store, and when sessions begin.
No place of a file is in it: a row names the parts of the configuration that a proof points at, and they are located
anew. A row that cannot be read is a proof that is not known.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any

from trialrun.prove.verdict import Answer, Bounds, UnknownPart
from trialrun.runtime.channel_config.explore.anomaly import Example
from trialrun.runtime.channel_config.explore.simulated_customer import Recording
from trialrun.runtime.channel_config.menu import BrandMenu, Item
from trialrun.runtime.channel_config.script import ScriptError, parse
from trialrun.runtime.channel_config.session.plan import PlannedCelUpsell
from trialrun.workspace.cache_store import CacheStore, digest
from trialrun.workspace.result_cache import tool_signature

if TYPE_CHECKING:
    from trialrun.prove.replay import Stage
    from trialrun.runtime.channel_config.active_config import Origin

MAX_ROW_LENGTH = 1_000_000
"""Longer rows are not kept: those of some thousand upsells."""
_LIMITS = ("maxUpsellOffers", "maxUpsellDeclines", "maxItemsInCart")
_TEXTS = ("question", "upsell", "verdict", "message", "why")


class ProofCache:
    """Proofs by what they depend on; without a `store` each is made."""

    def __init__(self, store: CacheStore | None) -> None:
        self._store = store

    def answers(
        self, stage: Stage, unpriced: frozenset[Item], condition: str | None, prove: Callable[[], Iterable[Answer]]
    ) -> list[Answer]:
        """What is proved there of the upsells, or of a condition; `prove` makes what is not known."""
        if self._store is None or not self._store.is_open:
            return list(prove())
        key, origins = proof_key(stage, unpriced, condition), list(_origins(stage))
        try:
            return [_answer(row, origins, stage) for row in json.loads(self._store.find(key) or "")]
        except (ValueError, KeyError, TypeError, IndexError, AttributeError, ScriptError):
            found = list(prove())
        places = {_place(origin): number for number, origin in reversed(list(enumerate(origins)))}
        try:
            row = json.dumps([_row(answer, places) for answer in found])
        except KeyError:  # it points at what has no number
            return found
        if len(row) <= MAX_ROW_LENGTH:
            self._store.write([(key, row)])
        return found


def proof_key(stage: Stage, unpriced: frozenset[Item], condition: str | None) -> bytes:
    """A digest of everything that the proofs at a store depend on."""
    config = stage.active_config
    paths = {origin.path for origin in _origins(stage)} | {config.store.brand.path}
    schemas = {repr(_schema(stage, path)) for path in paths}
    inputs = (
        tool_signature(),
        [(kind, json.dumps(effective.value)) for kind, effective in config.types.items()],
        (config.message_draw, config.store.store.model_dump_json(), _menu(stage.menu), sorted(schemas)),
        (sorted(map(repr, unpriced)), stage.begin.isoformat(), repr(Bounds()), condition),
    )
    return digest(repr(inputs).encode("utf-8", "surrogatepass"))


def _schema(stage: Stage, path: str) -> tuple[Any, ...]:
    schema = stage.types(path)
    types = {name: dict(fields) for name, fields in schema.types.items()}
    return types, dict(schema.variables), schema.library


def _menu(menu: BrandMenu) -> tuple[Any, ...]:
    """A menu, with what has no order sorted."""
    lists = menu.items, menu.modifiers, menu.restrictions, menu.elsewhere
    offerings = sorted((repr(item), repr(offered)) for item, offered in menu.offerings.items())
    flags = menu.is_declared, menu.lists_items, menu.lists_modifiers
    return lists, sorted(map(repr, menu.unrestricted_items)), offerings, flags


def _origins(stage: Stage) -> Iterator[Origin]:
    """What proofs may point at, in the order of the configuration."""
    config, plan = stage.active_config, stage.plan
    for upsell in (*plan.upsells, *plan.cel_upsells):
        yield upsell.origin
        if isinstance(upsell, PlannedCelUpsell):
            yield upsell.condition_origin
        for kind in ("greetingOffer", "closingOffer"):
            if getattr(upsell.config, kind):
                yield config.origin_of(upsell.config, kind)
    for field in _LIMITS:
        if getattr(plan.strategy, field) is not None:
            yield config.origin_of(plan.strategy, field)


def _place(origin: Origin) -> tuple[Any, ...]:
    return origin.path, origin.config.document, repr(origin.place), origin.level


def _row(answer: Answer, places: dict[tuple[Any, ...], int]) -> dict[str, Any]:
    example = answer.example
    return {
        **{name: getattr(answer, name) for name in _TEXTS},
        "origin": answer.origin and places[_place(answer.origin)],
        "related": [(text, places[_place(origin)]) for text, origin in answer.related],
        "premises": answer.premises,
        "parts": [(part.condition, part.start, part.end, part.reason) for part in answer.parts],
        "example": example and (_recorded(example.recording), example.lines),
    }


def _recorded(recording: Recording) -> tuple[int, str, str | None]:
    return recording.seed, recording.begin.isoformat(), recording.language


def _answer(row: dict[str, Any], origins: list[Origin], stage: Stage) -> Answer:
    example = None
    if row["example"] is not None:
        (seed, begin, language), lines = row["example"]
        turns = tuple(line.actions for line in parse("\n".join(lines), stage.menu))
        recording = Recording(seed, datetime.fromisoformat(begin), language, turns)
        example = Example(recording, tuple(lines), len(lines))
    return Answer(
        **{name: row[name] for name in _TEXTS},
        origin=None if row["origin"] is None else origins[row["origin"]],
        related=tuple((text, origins[number]) for text, number in row["related"]),
        premises=tuple(row["premises"]),
        parts=tuple(UnknownPart(*part) for part in row["parts"]),
        example=example,
    )
