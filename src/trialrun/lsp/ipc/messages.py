"""What the server and the office say to each other, over a pipe: small, and all of it can be pickled.

Files are absolute paths; paths are as they are shown, from the folder of `Begin`. Texts are bytes, as a file has them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from typing import Any, Literal

from trialrun.diagnostic import Diagnostic
from trialrun.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Choices:
    """What the user chose on the command line: as for `check`. `now` is a clock that stands still, None for the real.

    `allowed` are the folders of `--allow-path`.
    `pause` are the seconds without a change that a text is waited for before it is linted.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    policies: tuple[str, ...] = ()
    now: datetime | None = None
    is_isolated: bool = False
    cache: bool = True
    pause: float = 0.0
    allowed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Begin:
    """The first message: open the workspace that a folder belongs to."""

    folder: str
    choices: Choices


@dataclass(frozen=True, slots=True)
class Put:
    """An open file has this text; `is_settled` says that its findings are wanted at once, without the pause."""

    file: str
    data: bytes
    version: int
    is_settled: bool = True


@dataclass(frozen=True, slots=True)
class Drop:
    """A file is open no more: what is on disk counts again."""

    file: str


@dataclass(frozen=True, slots=True)
class Touch:
    """Files, or folders, that changed, came or went on disk; settings files among them are read again."""

    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LeaveOut:
    """Do not look at a file until it changes: it kept an office before this one busy for too long, or ended it.

    `why` is told in place of its findings where it is open, in a version.
    """

    file: str
    why: str
    version: int | None = None


@dataclass(frozen=True, slots=True)
class LeaveOutRule:
    """Do not judge across files by a rule until the settings change: it took too long, or ended an office."""

    rule: str


@dataclass(frozen=True, slots=True)
class Reread:
    """Read the settings again, with other choices where there are some."""

    choices: Choices | None = None


@dataclass(frozen=True, slots=True)
class Ask:
    """A question to the feature of a name about a file, answered by the number."""

    number: int
    name: str
    file: str
    arguments: tuple[Any, ...] = ()
    named: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Cancel:
    """Nobody waits for the answer to a question any more."""

    number: int


ToOffice = Begin | Put | Drop | Touch | LeaveOut | LeaveOutRule | Reread | Ask | Cancel


@dataclass(frozen=True, slots=True)
class Findings:
    """All findings of an open file, of the text of a version."""

    file: str
    version: int
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question."""

    number: int
    value: Any


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a question has no answer: an error of the feature that a person is told, or a fault of ours."""

    number: int
    error: Exception


@dataclass(frozen=True, slots=True)
class Told:
    """Something a person is shown: wrong settings, or a fault of ours, once."""

    severity: Literal["error", "warning", "note"]
    message: str


@dataclass(frozen=True, slots=True)
class Mended:
    """What a person was told of by a message is so no more: should it come back, it is told again."""

    message: str


@dataclass(frozen=True, slots=True)
class Doing:
    """The file that is worked on from now on, in a version where it is open, or the rule that is judged by.

    Both are None when nothing is worked on.
    """

    file: str | None = None
    version: int | None = None
    rule: str | None = None


@dataclass(frozen=True, slots=True)
class Astray:
    """The folder of the workspace is gone, or another one by now: what was said is for another process."""


@dataclass(frozen=True, slots=True)
class Left:
    """How many files are left to lint; 0 once nothing is left to do that was said before."""

    files: int


FromOffice = Findings | Answer | Refusal | Told | Mended | Doing | Left | Astray


class Fault(Exception):
    """A feature failed by a fault of ours; a person has been told."""


class Gone(Exception):
    """The office ended before it could answer; it works again, and the question can be asked again."""


class Outdated(Gone):
    """The text that a question was about is an older one by now; nobody looked at it."""


__all__ = [
    "Answer",
    "Ask",
    "Astray",
    "Begin",
    "Cancel",
    "Choices",
    "Doing",
    "Drop",
    "Fault",
    "Findings",
    "FromOffice",
    "Gone",
    "LeaveOut",
    "LeaveOutRule",
    "Left",
    "Mended",
    "Outdated",
    "Put",
    "Refusal",
    "Reread",
    "ToOffice",
    "Told",
    "Touch",
]
