"""An occurrence of a name: a declaration or a reference."""

from __future__ import annotations

from typing import Literal

from trialrun.diagnostic import Chars, Path
from trialrun.lazy_dataclass import dataclass

NameKind = Literal[
    "config",
    "brand",
    "store",
    "binding",
    "item",
    "modifier",
    "modifier group",
    "daypart",
    "online store",
    "view",
    "feature group",
    "feature",
    "source",
    "column",
    "upsell",
    "session type",
    "session variable",
    "session field",
    "bound variable",
]
NameForm = Literal["name", "semantic name", "id"]
Embedding = str
"""How a text inside of another text is spelled: `cel` in quotes, `script`, `quoted`, `cell`, or `path`."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A name that a file declares or references; `chars` if it is only a part of the text or key at `steps`.

    `forms` says whether it is a name, a semantic name, an id, or which of these. `scope` is the brand or project of the
    document, empty if unknown. `within` are the names of its group, the URI of its table, the type of a field, or the
    macro that binds a variable. `embeddings` are the spellings of the texts around it, innermost first. `entry` leads
    to the declaring message, whose other names refer to the same thing.
    """

    kind: NameKind
    text: str
    path: str
    document: int
    steps: Path
    declares: bool = False
    forms: tuple[NameForm, ...] = ("name",)
    scope: str = ""
    within: tuple[str, ...] = ()
    entry: Path = ()
    chars: Chars | None = None
    at_key: bool = False
    embeddings: tuple[Embedding, ...] = ()

    @property
    def thing(self) -> tuple[str, int, Path]:
        """The key that identifies the declared thing."""
        return self.path, self.document, self.entry
