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
NameForm = Literal["name", "id"]
Embedding = str
"""How a text within a text is written: `cel` with its quotes, `script`, `quoted`, `cell`, or `path`."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A name as a file declares or uses it; `chars` where it is but a part of the text, or of the key, at `steps`.

    `ways` says whether it is a name, an id, or may be either. `scope` is the brand, or the project, that the document
    is about, empty where it says none. `within` are the names of the group, or the uri of the table, that it belongs
    to; the type of a field, the macro that binds a variable. `layers` are how the text around it writes it, from the
    innermost on. `entry` leads to the message that declares it, whose other names are names of the same thing.
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
        """What distinguishes the declared thing from all others."""
        return self.path, self.document, self.entry
