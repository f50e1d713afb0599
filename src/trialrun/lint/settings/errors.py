"""Errors of a settings file, which are reported together, each with its line."""

from __future__ import annotations

from collections.abc import Collection

from trialrun.display_path import display_path
from trialrun.errors import UsageError
from trialrun.lazy_dataclass import dataclass
from trialrun.lint.settings.lines import Step, line_of


class SettingsError(UsageError):
    """All errors of a settings file; `messages` have the file and line of each."""

    def __init__(self, messages: Collection[str]) -> None:
        super().__init__("\n".join(messages))
        self.messages = list(messages)


@dataclass(frozen=True)
class Problem:
    """An error at a key of a settings file; `value` is the affected text in its value, if any."""

    path: tuple[Step, ...]
    text: str
    value: object = None


@dataclass(frozen=True)
class SettingsText:
    """The path and text of a settings file, whose tables start at `prefix`."""

    file: str
    text: str = ""
    prefix: tuple[str, ...] = ()

    def where(self, path: tuple[Step, ...], value: object = None) -> str:
        """The file and line of a key, for messages; without a text only the file."""
        file = display_path(self.file)
        return f"{file}:{line_of(self.text, (*self.prefix, *path), value)}" if self.text else file

    def error(self, problems: Collection[Problem]) -> SettingsError:
        """The exception for some problems, ordered by line."""
        lines = {id(problem): line_of(self.text, (*self.prefix, *problem.path), problem.value) for problem in problems}
        ordered = sorted(problems, key=lambda one: lines[id(one)])
        messages = (
            f"{self.where(problem.path, problem.value)}: {self._table(problem)}{problem.text}" for problem in ordered
        )
        return SettingsError(list(dict.fromkeys(messages)))

    @staticmethod
    def _table(problem: Problem) -> str:
        name = name_of(problem.path[:-1])
        return f"{name}: " if name else ""


def name_of(path: tuple[Step, ...]) -> str:
    """The name of a table in messages: `overrides[0].options`."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")
