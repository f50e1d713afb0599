"""The role of a report: it takes a run and yields text; `report` looks one up by the name of its format."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Protocol, cast

from trialrun.diagnostic import Diagnostic
from trialrun.record import dataclass
from trialrun.text import Source

FORMATS = {
    "text": "trialrun.report.text",
    "concise": "trialrun.report.concise",
    "json": "trialrun.report.json_object",
}
"""The name of every output format and the module whose `report` writes it."""


@dataclass(frozen=True, slots=True)
class Summary:
    """How much was checked and how much was found; suppressed findings are in no other count."""

    files: int = 0
    documents: int = 0
    errors: int = 0
    warnings: int = 0
    notes: int = 0
    suppressed: int = 0


@dataclass(frozen=True, slots=True)
class Run:
    """What one check of a workspace answers.

    `diagnostics` are in the order of `Diagnostic.order`. `sources` gives the text of a path that a diagnostic names,
    or None where it cannot be read any more. `version` is the version of the program.
    """

    diagnostics: Sequence[Diagnostic]
    sources: Callable[[str], Source | None]
    summary: Summary
    version: str


class Report(Protocol):
    """Write a run as pieces of text, the first one before the last finding is looked at.

    `color` says whether to send colours and `width` how many columns a line may take; formats for programs ignore both.
    """

    def __call__(self, run: Run, *, color: bool = False, width: int = 80) -> Iterator[str]: ...


class UnknownFormat(LookupError):
    """There is no output format of this name."""

    def __init__(self, name: str) -> None:
        super().__init__(f'there is no output format "{name}"; choose one of {", ".join(FORMATS)}')


def report(name: str) -> Report:
    """The report that writes a format; only its module is imported.

    Raises UnknownFormat, which lists the names, for any other name.
    """
    if name not in FORMATS:
        raise UnknownFormat(name)
    return cast(Report, import_module(FORMATS[name]).report)
