"""What all layers share about files of Terraform and OpenTofu: their names, and values that nobody else knows."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

ENDINGS = (".tf", ".tofu", ".tf.json", ".tofu.json")


def is_terraform_path(path: str) -> bool:
    """Whether a file is one of Terraform or OpenTofu by its name, in either syntax."""
    return path.lower().endswith(ENDINGS)


def is_variables_path(path: str) -> bool:
    """Whether a file gives values to the variables of its folder by itself."""
    name = _name(path).removesuffix(".json")
    return name == "terraform.tfvars" or name.endswith(".auto.tfvars")


Siblings = tuple[tuple[str, bytes], ...]
"""Files that the values of another may come from: their paths seen from its folder, sorted, and their bytes."""


PLAN = "/plan"
"""The path of the values that a plan has for the module, as JSON: no file of the folder."""
FOLDER = "/folder"
"""The path of the last names of the folder, where folders above call it as a module: no file of the folder."""


class ModuleFile(bytes):
    """The bytes of a file with its `siblings`; equal where all of them are."""

    siblings: Siblings = ()

    @staticmethod
    def of(data: bytes, siblings: Siblings) -> bytes:
        """The bytes of a file with others; without others, the bytes."""
        if not siblings:
            return data
        file = ModuleFile(data)
        file.siblings = siblings
        return file

    def __eq__(self, other: object) -> bool:
        return bytes.__eq__(self, other) is True and self.siblings == siblings_of(other)

    __hash__ = bytes.__hash__

    @property
    def all_bytes(self) -> bytes:
        """The bytes of all the files, which differ where any of them do."""
        return repr((len(self), self.siblings)).encode() + self


def siblings_of(data: object) -> Siblings:
    """The siblings of a file, if its bytes have any."""
    return data.siblings if isinstance(data, ModuleFile) else ()


def is_override_path(path: str) -> bool:
    """Whether the resources of a file are parts that replace those of other files of the folder."""
    stem, _, ending = _name(path).removesuffix(".json").rpartition(".")
    return ending in ("tf", "tofu") and (stem == "override" or stem.endswith("_override"))


def opentofu_twin(path: str) -> str:
    """The name of the file that OpenTofu reads in place of one of Terraform; empty for one of its own."""
    stem, ending, rest = _name(path).rpartition(".tf")
    return f"{stem}.tofu{rest}" if ending else ""


def _name(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]


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


def has_unknown(value: Any) -> bool:
    """Whether a value, or an item of it, is unknown."""
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return isinstance(value, Unknown) or any(has_unknown(item) for item in items)


def shortened(text: str, longest: int) -> str:
    """A text that is shown; of a longer one, a digest stands for the rest, so that unequal texts stay unequal."""
    return text if len(text) <= longest else f"{text[:longest]}…{sha256(text.encode()).hexdigest()[:16]}"
