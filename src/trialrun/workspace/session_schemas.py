"""Session types of a workspace: its SessionSchema documents, read when the first condition needs them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

from trialrun.lint.rule import SessionTypes, session_types
from trialrun.model.kinds import kind_of
from trialrun.working_folder import absolute_path, display_path

SCHEMA_KIND = "SessionSchema"
_SCHEMA_KIND_BYTES = SCHEMA_KIND.encode()


def may_declare(data: bytes, kind_by_path: str | None) -> bool:
    """Whether a file may declare session types, by its bytes or by its kind in the settings."""
    return _SCHEMA_KIND_BYTES in data or kind_by_path == SCHEMA_KIND


class SessionSchemas:
    """The SessionSchema documents of some files; `files` is called once, and only if a result depends on them.

    It yields the displayed path and the bytes of each file. `kind_by_glob` is the kind that the settings give to a
    path.
    """

    def __init__(
        self, files: Callable[[], Iterable[tuple[str, bytes]]], kind_by_glob: Callable[[str], str | None]
    ) -> None:
        self._files = files
        self._kind_by_glob = kind_by_glob

    @cached_property
    def declarations(self) -> list[dict[str, Any]]:
        """The values of all SessionSchema documents, by path and document."""
        found: list[dict[str, Any]] = []
        for shown, data in sorted(self._files()):
            found.extend(_declarations(data, shown, self._kind_by_glob(shown)))
        return found

    @cached_property
    def types(self) -> SessionTypes:
        """The types for conditions."""
        return session_types(self.declarations)

    @cached_property
    def digest(self) -> str:
        """A digest of the declarations."""
        import json
        from hashlib import blake2b

        text = json.dumps(self.declarations, sort_keys=True, default=str)
        return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


class SchemaResolver:
    """The session types of a workspace: of its `declaring` files, and of files that the settings name for paths.

    `bytes_of` returns the bytes of a displayed path, since a named file may be outside of the workspace.
    """

    def __init__(
        self,
        declaring: Callable[[], Iterable[tuple[str, bytes]]],
        named: Iterable[str | None],
        bytes_of: Callable[[str], bytes | None],
        kind_by_glob: Callable[[str], str | None],
    ) -> None:
        self._named = {file for file in named if file}
        self._declaring = declaring
        self._bytes_of = bytes_of
        self._kind_by_glob = kind_by_glob
        self._made: dict[str | None, SessionSchemas] = {}

    def schemas_for(self, schema: str | None) -> SessionSchemas:
        """The types of one file; without one, those of all files that no setting names."""
        if schema not in self._made:
            self._made[schema] = SessionSchemas(lambda: self._files(schema), self._kind_by_glob)
        return self._made[schema]

    def _files(self, schema: str | None) -> Iterable[tuple[str, bytes]]:
        if schema is not None:
            shown = display_path(schema)
            data = self._bytes_of(shown)
            return [] if data is None else [(shown, data)]
        return [(shown, data) for shown, data in self._declaring() if absolute_path(shown) not in self._named]


def _declarations(data: bytes, path: str, kind_by_path: str | None) -> Iterable[dict[str, Any]]:
    from trialrun.parser import parse  # a workspace of which all is in the cache needs no parser

    for document in parse(data, path).documents:
        values = document.value if isinstance(document.value, list) else [document.value]
        for value in filter(lambda value: isinstance(value, dict), values):
            kind = value["kind"] if "kind" in value else kind_of(value, by_path=kind_by_path)
            if kind == SCHEMA_KIND:
                yield value
