"""What all layers share about files of Terraform and OpenTofu: their names, and values that nobody else knows."""

from __future__ import annotations

import re
from dataclasses import field
from typing import Any

from trialrun.lazy_dataclass import dataclass

ENDINGS = (".tf", ".tofu", ".tf.json", ".tofu.json")
_override = re.compile(r"(?:.*[/\\_])?override\.(?:tf|tofu)(?:\.json)?\Z", re.DOTALL).match


def is_terraform_path(path: str) -> bool:
    """Whether a file is one of Terraform or OpenTofu by its name, in either syntax."""
    return path.lower().endswith(ENDINGS)


def is_override_path(path: str) -> bool:
    """Whether the resources of a file are parts that replace those of other files of the folder."""
    return _override(path) is not None


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value that is set, and that nobody knows before Terraform runs.

    `text` is the expression in the file, `line` the line where it is, from 1. `content` is that of a block which exists
    under a condition: it is judged by itself.
    """

    text: str
    line: int = field(compare=False)
    content: Any = None

    @property
    def words(self) -> str:
        """What a message says of it; the caller adds the path of the file."""
        return f"known to Terraform alone (line {self.line})"
