"""Surprises that were looked at and accepted: a file of them, one a line, which a search leaves out."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from trialrun.lazy_dataclass import dataclass
from trialrun.values.resource_name import last_id

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.explore.anomaly import Anomaly

VERSION = 1
MAX_BYTES = 16 * 2**20
"""The largest file of accepted surprises that is read."""


class InvalidAcceptedSurprises(ValueError):
    """The text is not a file of accepted surprises."""


@dataclass(frozen=True, slots=True, order=True)
class SurpriseKey:
    """What identifies a surprise, at whichever store it is seen: its config by id, its kind and its message."""

    config: str
    kind: str
    message: str


def surprise_key(anomaly: Anomaly) -> SurpriseKey:
    """The key of a surprise."""
    return SurpriseKey(last_id(anomaly.origin.name) if anomaly.origin else "", anomaly.kind, anomaly.message)


def format_accepted(keys: Iterable[SurpriseKey]) -> str:
    """The text of a file of accepted surprises: one a line, sorted, so that branches can be merged."""
    entries = ({"config": key.config, "kind": key.kind, "message": key.message} for key in sorted(set(keys)))
    lines = ",".join(f"\n  {json.dumps(entry, ensure_ascii=False)}" for entry in entries)
    return f'{{"version": {VERSION}, "accepted": [{lines}\n]}}\n'


def read_accepted(text: str) -> frozenset[SurpriseKey]:
    """The surprises of a file. Raises InvalidAcceptedSurprises with the reason."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidAcceptedSurprises(f"it is not JSON: {error}") from error
    if not isinstance(content, dict) or not isinstance(content.get("accepted"), list):
        raise InvalidAcceptedSurprises('it has no list "accepted"')
    if content.get("version") != VERSION:
        version = content.get("version")
        raise InvalidAcceptedSurprises(f"its version is {version!r}; this trialrun reads version {VERSION}")
    return frozenset(_parse_entry(entry, number) for number, entry in enumerate(content["accepted"], start=1))


def _parse_entry(entry: Any, number: int) -> SurpriseKey:
    parts = [entry.get(name) for name in ("config", "kind", "message")] if isinstance(entry, dict) else [None]
    if not all(isinstance(part, str) for part in parts):
        raise InvalidAcceptedSurprises(f'surprise {number} lacks a text in "config", "kind" or "message"')
    return SurpriseKey(*parts)
