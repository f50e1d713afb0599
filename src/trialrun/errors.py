"""What is wrong in a user's command or settings, as opposed to a user's files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any


class UsageError(Exception):
    """A command or a settings file that cannot be carried out; the program ends with exit code 2.

    One that is about places in files has them in `diagnostics`, and the texts of the files, by path, in `sources`. One
    that has several things to say has them in `messages`.
    """

    diagnostics: Sequence[Any] = ()
    sources: Mapping[str, Any] = {}
    messages: Sequence[str] = ()


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """`; did you mean "…"?` where one name is close, else nothing."""
    import difflib

    near = difflib.get_close_matches(name, list(names), n=1, cutoff=0.6)
    return f'; did you mean "{near[0]}"?' if near else ""


def os_error_reason(error: OSError) -> str:
    """Why the system refused, in the voice of our messages: `permission denied`."""
    reason = error.strerror or str(error)
    return reason[:1].lower() + reason[1:]
