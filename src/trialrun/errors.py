"""What ends a command: a wrong command or setting, as opposed to a user's files, and a store that cannot be used.

Of the exit codes, 0 is success, and 1 findings or a negative result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

USAGE_EXIT = 2
INTERNAL_ERROR_EXIT = 3
INTERRUPTED_EXIT = 130


class UsageError(Exception):
    """A command or a settings file that cannot be carried out; the program ends with exit code 2.

    One that is about places in files has them in `diagnostics`, and the texts of the files, by path, in `sources`. One
    that has several things to say has them in `messages`.
    """

    def __init__(
        self,
        message: str,
        *,
        diagnostics: Sequence[Any] = (),
        sources: Mapping[str, Any] | None = None,
        messages: Sequence[str] = (),
    ) -> None:
        super().__init__(message)
        self.diagnostics, self.sources, self.messages = diagnostics, sources or {}, messages


class StoreError(Exception):
    """A store or journal cannot be read or written, or cannot hold something; what it held before is as it was."""


def os_error_reason(error: OSError) -> str:
    """Why the system refused, in the voice of our messages: `permission denied`."""
    reason = error.strerror or str(error)
    return reason[:1].lower() + reason[1:]
