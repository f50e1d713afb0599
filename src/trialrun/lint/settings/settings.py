"""The settings of a workspace after validation."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Severity
from trialrun.lazy_dataclass import dataclass
from trialrun.working_folder import working_folder

if TYPE_CHECKING:
    from trialrun.lint.settings.lines import SettingsText

SEVERITIES = {severity.word: severity for severity in Severity}


@dataclass(frozen=True)
class Override:
    """Settings for paths that match one of the globs; later overrides win."""

    paths: tuple[str, ...]
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    policy_parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    session_schema: str | None = None


@dataclass(frozen=True)
class IgnoreTable:
    """A suppression in the settings: for findings of `rules` at or below `pointer`, in files that match a glob.

    `key` and `number` identify its table: `[[suppress]]`, or its old name `[[ignore]]`.
    """

    path: str
    rules: tuple[str, ...]
    pointer: str = ""
    reason: str = ""
    until: str | None = None
    key: str = "suppress"
    number: int = 0


@dataclass(frozen=True)
class Settings:
    """The settings of a file; `file` is None if there is none.

    Paths and globs are relative to the folder of the file, with `/`. `runtime` is for trial runs, not for rules.
    """

    file: str | None = None
    edition: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    policy_parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    session_schema: str | None = None
    policies: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    kinds: Mapping[str, str] = field(default_factory=dict)
    baseline: str | None = None
    runtime: Mapping[str, Any] = field(default_factory=dict)
    change_levels: Mapping[str, str] = field(default_factory=dict)
    overrides: tuple[Override, ...] = ()
    ignore_tables: tuple[IgnoreTable, ...] = ()
    hints: tuple[str, ...] = ()
    """Hints about outdated settings, each with file and line."""
    text: SettingsText | None = None
    """The text of the file, for messages with lines."""

    @property
    def folder(self) -> str:
        """The folder that paths are relative to: that of the file, else the working directory."""
        return os.path.dirname(self.file) if self.file else working_folder()

    def layers(self) -> Iterator[tuple[tuple[str | int, ...], Settings | Override]]:
        """These settings and each of the overrides, with the path of its table in the file."""
        yield (), self
        for at, override in enumerate(self.overrides):
            yield ("overrides", at), override

    @property
    def baseline_file(self) -> str | None:
        """The whole path of the baseline."""
        return None if self.baseline is None else os.path.join(self.folder, self.baseline)
