"""What an importer is: a function from input files to documents, with notes on what could not be taken over."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

from trialrun.diagnostic import Path, json_pointer
from trialrun.importers.input_file import InputFile
from trialrun.lazy_dataclass import dataclass

NoteKind = Literal["dropped", "unresolved", "guessed"]
MAX_KEY_LENGTH = 1000
"""Characters of a key that a place shows."""


@dataclass(frozen=True, slots=True)
class InputPlace:
    """A place in an input file: a line, or the path of a value in one of its documents."""

    file: str
    path: Path = ()
    document: int = 0
    line: int | None = None

    def below(self, *steps: str | int) -> InputPlace:
        """The place of a value inside of the value at this place."""
        return InputPlace(self.file, (*self.path, *steps), self.document, self.line)

    @property
    def pointer(self) -> str:
        """The JSON pointer of the value; a key of thousands of characters is cut, since many places may be below it."""
        steps = (
            step if isinstance(step, int) or len(step) <= MAX_KEY_LENGTH else f"{step[:MAX_KEY_LENGTH]}…"
            for step in self.path
        )
        return json_pointer(tuple(steps))

    def __str__(self) -> str:
        if self.line is not None:
            return f"{self.file}:{self.line}"
        document = f"[{self.document}]" if self.document else ""
        return f"{self.file}{document}#{self.pointer}"


@dataclass(frozen=True, slots=True)
class Note:
    """What the documents lack or may have wrong, and its place in the input.

    The message never quotes a value of the input, which may be a secret, apart from names of resources.
    """

    kind: NoteKind
    message: str
    place: InputPlace


@dataclass(frozen=True)
class ImportedDocument:
    """A resource as a document, and where it and its parts come from.

    As an importer finds it, it is a mapping with field names of the model, in any order and spelling; `draft.complete`
    gives it its canonical form. `resource` identifies the resource among those of its kind; `file_id` names its file,
    by default the last part of `resource`. `places` has, by path in the document, the place in the input; that of the
    whole is required. What is below such a path is below that place, unless it has a place of its own, or is at that
    place where the document `is_reshaped`, since the input has other fields there.
    """

    kind: str
    resource: str
    value: Mapping[str, Any]
    places: Mapping[Path, InputPlace]
    file_id: str = ""
    is_reshaped: bool = False

    @property
    def id(self) -> str:
        """What names its file."""
        return self.file_id or self.resource.rpartition("/")[2]

    @property
    def place(self) -> InputPlace:
        """The place of the whole document."""
        return self.places[()]

    def place_of(self, path: Path) -> InputPlace:
        """The place in the input that a path in the document comes from."""
        length = next(length for length in range(len(path), -1, -1) if path[:length] in self.places)
        place = self.places[path[:length]]
        return place if self.is_reshaped else place.below(*path[length:])


@dataclass(frozen=True)
class Imported:
    """The documents of some input files, and the notes on them."""

    documents: Sequence[ImportedDocument] = ()
    notes: Sequence[Note] = ()


@dataclass(frozen=True)
class ImportOptions:
    """The choices of the user: `faithful` keeps deprecated fields that the input has; `now` decides what is over."""

    faithful: bool = False
    project: str | None = None
    location: str | None = None
    online_store: str | None = None
    uri: str | None = None
    now: datetime | None = None


MAX_FIELD_NOTES = 100
"""Fields of one message that are noted one by one."""
Importer = Callable[[Sequence[InputFile], ImportOptions], Imported]


def repeated_key_notes(file: InputFile) -> Iterator[Note]:
    """A note for each key that a mapping of a file has twice."""
    for key in file.parsed.repeated_keys:
        place = InputPlace(file.name, document=key.document, line=key.line)
        where = "" if key.line else ", somewhere in a large file"
        yield Note("guessed", f"the later value of a key that is there twice{where}", place)
