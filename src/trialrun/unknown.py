"""A value of a file that another program alone knows, such as a variable of Terraform: present, but not judged."""

from __future__ import annotations

from typing import Any

from trialrun.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value that is set, and that nobody knows before Terraform runs.

    `text` is the expression in the file, `line` the line where it is, from 1. `content` is that of a block which exists
    under a condition: it is judged by itself.
    """

    text: str
    line: int
    content: Any = None

    @property
    def words(self) -> str:
        """What a message says of it; the caller adds the path of the file."""
        return f"known to Terraform alone (line {self.line})"
