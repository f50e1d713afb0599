"""Digests of crowding attributes: what shards that number attributes each for itself know them by among each other."""

from __future__ import annotations

from collections.abc import Sequence
from secrets import token_bytes

import numpy as np
from numpy.typing import NDArray

from trialrun.blake2 import blake2b

DIGEST_BYTES = 16


def attribute_digests(keys: Sequence[object]) -> NDArray[np.uint8]:
    """A digest for each attribute, a row each: equal attributes have equal ones in every shard."""
    digests = b"".join(map(attribute_digest, keys))
    return np.frombuffer(digests, np.uint8).reshape(len(keys), DIGEST_BYTES)


def attribute_digest(key: object) -> bytes:
    """The digest of an attribute. A list with NaN in it equals nothing, so that its digest is drawn."""
    if key != key or (isinstance(key, tuple) and any(element != element for element in key)):
        return token_bytes(DIGEST_BYTES)
    return blake2b(_canonical_text(key).encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).digest()


def _canonical_text(key: object) -> str:
    """A text that two keys share if they are equal, as numbers of several types may be."""
    if isinstance(key, tuple | list):
        parts = [_canonical_text(element) for element in key]
        return "list " + " ".join(f"{len(part)}:{part}" for part in parts)
    if isinstance(key, float) and key.is_integer():
        return f"number {int(key)}"
    if isinstance(key, int):
        return f"number {int(key)}"
    return f"{type(key).__name__} {key!r}"
