"""What all layers share about files of Terraform and OpenTofu: their names, and values that nobody else knows."""

from __future__ import annotations

from dataclasses import field
from hashlib import sha256
from typing import Any

from trialrun.lazy_dataclass import dataclass

ENDINGS = (".tf", ".tofu", ".tf.json", ".tofu.json")


def is_terraform_path(path: str) -> bool:
    """Whether a file is one of Terraform or OpenTofu by its name, in either syntax."""
    return path.lower().endswith(ENDINGS)


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value that is set, and that nobody knows before Terraform runs.

    `text` is the expression in the file, `place` the path and line where it is, such as `views.tf:31`, and `name` the
    argument that it is for. `content` is that of a block which exists under a condition: it is judged by itself.
    """

    text: str
    place: str = field(compare=False, repr=False)
    name: str = field(default="", compare=False, repr=False)
    content: Any = None

    @property
    def words(self) -> str:
        """What a message says of it, after "its" or the like."""
        name = self.name or self.text
        verb = "are" if name.endswith("s") and name != "continuous" else "is"
        return f"{name} {verb} {self}"

    def __str__(self) -> str:
        """What stands for the value where values are shown."""
        return f"known to Terraform alone ({self.place})"


def shortened(text: str, longest: int) -> str:
    """A text that is shown; of a longer one, a digest stands for the rest, so that unequal texts stay unequal."""
    return text if len(text) <= longest else f"{text[:longest]}…{sha256(text.encode()).hexdigest()[:16]}"
