"""Content of an open workspace that all its files depend on."""

from __future__ import annotations

from trialrun.lint.settings import Profiles
from trialrun.working_folder import absolute_path
from trialrun.workspace.kind_scan import declared_kinds
from trialrun.workspace.session_schemas import may_declare


class SharedInputs:
    """Kinds of companion documents, and session types, by the path of the file that declares them."""

    def __init__(self, profiles: Profiles) -> None:
        self._profiles = profiles
        self._kinds: dict[str, set[str]] = {}
        self._texts: dict[str, bytes] = {}
        settings = profiles.settings
        named = (settings.session_schema, *(override.session_schema for override in settings.overrides))
        self._named = {absolute_path(file) for file in named if file}
        self.declared = frozenset[str]()

    @property
    def declaring_texts(self) -> list[tuple[str, bytes]]:
        """The files that may declare session types."""
        return sorted(self._texts.items())

    def set_text(self, path: str, data: bytes | None) -> bool:
        """Set the text of a file, None if it is gone; returns whether anything changed for other files."""
        is_named = bool(self._named) and absolute_path(path) in self._named
        by_path = self._profiles.kind_by_glob(path)
        text = data if data is not None and (is_named or may_declare(data, by_path)) else None
        before = self._texts.pop(path, None), self.declared
        if text is not None:
            self._texts[path] = text
        self._set_kinds(path, data)
        return before != (text, self.declared)

    def _set_kinds(self, path: str, data: bytes | None) -> None:
        kinds = set() if data is None else declared_kinds(data, by_path=self._profiles.kind_by_glob(path))
        if kinds == self._kinds.get(path, set()):
            return
        self._kinds[path] = kinds
        self.declared = frozenset[str]().union(*self._kinds.values())
