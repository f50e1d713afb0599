"""The session types of a workspace: its SessionSchema documents, looked for when the first condition needs them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

from trialrun.lint.rule import SessionTypes
from trialrun.lint.session import session_types
from trialrun.tree import read
from trialrun.workspace.reading import read_bytes

DECLARES = b"SessionSchema"


class WorkspaceSession:
    """The SessionSchema documents of a workspace; `files` is asked once, and only if a verdict depends on them."""

    def __init__(self, files: Callable[[], Iterable[tuple[str, str]]]) -> None:
        self._files = files

    @cached_property
    def declarations(self) -> list[dict[str, Any]]:
        """The values of all SessionSchema documents, by path and document."""
        found: list[dict[str, Any]] = []
        for shown, file in sorted(self._files()):
            data = read_bytes(file, named=True)
            if isinstance(data, bytes) and DECLARES in data:
                found.extend(_declared(data, shown))
        return found

    @cached_property
    def types(self) -> SessionTypes:
        """The types that conditions read."""
        return session_types(self.declarations)

    @cached_property
    def digest(self) -> str:
        """A short text that differs when the declarations differ."""
        import json
        from hashlib import blake2b

        text = json.dumps(self.declarations, sort_keys=True, default=str)
        return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def _declared(data: bytes, path: str) -> Iterable[dict[str, Any]]:
    for document in read(data, path).documents:
        values = document.value if isinstance(document.value, list) else [document.value]
        yield from (one for one in values if isinstance(one, dict) and one.get("kind") == "SessionSchema")
