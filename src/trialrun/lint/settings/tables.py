"""A table of the settings while it is read, and the problems of the whole file, which are reported together."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import field
from typing import Any, TypeVar

from trialrun.display_path import display_path
from trialrun.errors import UsageError, did_you_mean
from trialrun.lazy_dataclass import dataclass
from trialrun.lint.settings.lines import Step, line_of

Value = TypeVar("Value")


class SettingsError(UsageError):
    """Everything that is wrong in a settings file, each problem with the file and its line in `messages`."""

    def __init__(self, messages: Collection[str]) -> None:
        super().__init__("\n".join(messages))
        self.messages = list(messages)


@dataclass(frozen=True)
class Problem:
    """What is wrong at a key of a settings file; `value` is the text in its value that is meant, if one is."""

    path: tuple[Step, ...]
    text: str
    value: object = None


@dataclass(frozen=True)
class SettingsText:
    """A settings file by its path, with its text, whose tables begin at `prefix`."""

    file: str
    text: str = ""
    prefix: tuple[str, ...] = ()

    def where(self, path: tuple[Step, ...], value: object = None) -> str:
        """The file and the line of a key, as messages name them; without a text the file alone."""
        file = display_path(self.file)
        return f"{file}:{line_of(self.text, (*self.prefix, *path), value)}" if self.text else file

    def error(self, problems: Collection[Problem]) -> SettingsError:
        """The error of some problems, in the order of their lines."""
        lines = {id(one): line_of(self.text, (*self.prefix, *one.path), one.value) for one in problems}
        ordered = sorted(problems, key=lambda one: lines[id(one)])
        told = (f"{self.where(one.path, one.value)}: {self._table(one)}{one.text}" for one in ordered)
        return SettingsError(list(dict.fromkeys(told)))

    @staticmethod
    def _table(problem: Problem) -> str:
        name = name_of(problem.path[:-1])
        return f"{name}: " if name else ""


def name_of(path: tuple[Step, ...]) -> str:
    """The name of a table in messages: `overrides[0].options`."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


class WrongValue(Exception):
    """A value that is refused; `value` is the part of it that is meant."""

    def __init__(self, key: str, text: str, value: object = None) -> None:
        super().__init__(text)
        self.key, self.text, self.value = key, text, value


@dataclass(frozen=True)
class Table:
    """A table of the settings; `path` leads to it, and what is wrong in it is added to `problems`."""

    content: Mapping[str, Any]
    file: str
    path: tuple[Step, ...] = ()
    problems: list[Problem] = field(default_factory=list)

    def report(self, key: str, text: str, value: object = None) -> None:
        """Add a problem of a key."""
        self.problems.append(Problem((*self.path, key), text, value))

    def tried(self, read: Callable[[Table], Value], fallback: Value) -> Value:
        """What a function reads of the table; the fallback where it refuses something, which is reported."""
        try:
            return read(self)
        except WrongValue as error:
            self.report(error.key, error.text, error.value)
            return fallback

    def only(self, known: Collection[str], belongs: Callable[[str], str] = lambda key: "") -> None:
        """Report keys that there are not; `belongs` says of a key in which other table it is one."""
        for key in self.content:
            if key not in known:
                self.report(key, f'there is no setting "{key}"{belongs(key) or did_you_mean(key, known)}')

    def text(self, key: str) -> str | None:
        """A text that need not be there."""
        value = self.content.get(key)
        if value is not None and (not isinstance(value, str) or not value):
            self.report(key, f"{key} is a text")
            return None
        if value and "\0" in value:
            self.report(key, f"{key} has a NUL in it; take it out")
            return None
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts that need not be there."""
        value = self.content.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            self.report(key, f"{key} is a list of texts")
            return ()
        return tuple(value)

    def table(self, key: str) -> Table:
        """A table inside this one."""
        value = self.content.get(key, {})
        if not isinstance(value, Mapping):
            self.report(key, f"{key} is a table")
            value = {}
        return Table(value, self.file, (*self.path, key), self.problems)

    def tables(self, key: str) -> list[Table]:
        """A list of tables inside this one."""
        values = self.content.get(key, [])
        if not isinstance(values, list) or not all(isinstance(one, Mapping) for one in values):
            self.report(key, f"{key} is a list of tables; write [[{key}]]")
            return []
        return [Table(one, self.file, (*self.path, key, number), self.problems) for number, one in enumerate(values)]

    def without(self, key: str) -> Table:
        """The same without a key."""
        content = {name: value for name, value in self.content.items() if name != key}
        return Table(content, self.file, self.path, self.problems)
