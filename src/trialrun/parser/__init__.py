"""YAML and JSON files as plain values, with the exact place of every key and value.

`read` never raises: what is wrong in a file is a `Trouble`, and what can be read of it is read.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from trialrun.parser.document import Document, Slice, Tree, Trouble
from trialrun.parser.limits import MAX_BYTES
from trialrun.parser.nodes import Path

if TYPE_CHECKING:
    from trialrun.text import Source

__all__ = ["MAX_BYTES", "Document", "Path", "Slice", "Tree", "Trouble", "read", "source"]

_SHORT: Final = 2**17
"""Bytes of a text whose tree is kept for a while."""


def read(data: bytes, path: str, *, max_bytes: int = MAX_BYTES) -> Tree:
    """The documents of a file: JSON when the path ends in `.json`, else YAML, which has JSON in it.

    Anything over `max_bytes` is refused as a whole. The trees of the last few texts are known, and to be left as they
    are: the text that is linted is also that which fixes are tried in, and which an editor asks about.
    """
    return _known(data, path) if len(data) <= min(max_bytes, _SHORT) else _read(data, path, max_bytes)


@lru_cache(maxsize=3)
def _known(data: bytes, path: str) -> Tree:
    return _read(data, path, MAX_BYTES)


def _read(data: bytes, path: str, max_bytes: int) -> Tree:
    from trialrun.parser.decode import decode, refuse

    if len(data) > max_bytes:
        return refuse(data, path, max_bytes)
    decoded = decode(data, path)
    if path.lower().endswith(".json"):
        from trialrun.parser.json import read_json

        documents, troubles = read_json(decoded.clean)
    else:
        from trialrun.parser.yaml import read_yaml

        documents, troubles = read_yaml(decoded.clean)
    if decoded.troubles or troubles:
        troubles = sorted([*decoded.troubles, *troubles], key=_by_place)
    return Tree(decoded.source, documents, troubles)


def source(data: bytes, path: str, *, max_bytes: int = MAX_BYTES) -> Source:
    """The text of a file as `read` gives it with the documents."""
    from trialrun.parser.decode import decode, refuse

    return refuse(data, path, max_bytes).source if len(data) > max_bytes else decode(data, path).source


def _by_place(trouble: Trouble) -> tuple[int, int, str, str]:
    return trouble.span.start, trouble.span.end, trouble.rule, trouble.message
