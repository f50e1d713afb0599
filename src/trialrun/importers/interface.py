"""What an importer is: a function from input files to drafts, and the documents in canonical form that these become."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

from trialrun.diagnostic import Path, json_pointer
from trialrun.importers.input_file import InputFile
from trialrun.model.canonical import KEPT_MISFITS, CanonicalForm
from trialrun.model.kinds import model_of
from trialrun.model.misfit import Misfit, TwoSpellings, UnknownField, UnspecifiedEnumValue, WrongType
from trialrun.model.node import fields_of_mode

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

    As an importer finds it, it is a mapping with field names of the model, in any order and spelling; `complete`
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
    for document, line in file.repeated_keys:
        place = InputPlace(file.name, document=document, line=line)
        where = "" if line else ", somewhere in a large file"
        yield Note("guessed", f"the later value of a key that is there twice{where}", place)


def complete(drafts: Iterable[ImportedDocument], notes: list[Note]) -> Imported:
    """Documents in canonical form, with notes on what they do not have after those of their importer."""
    return Imported([_complete(draft, notes) for draft in drafts], notes)


def _complete(draft: ImportedDocument, notes: list[Note]) -> ImportedDocument:
    model = model_of(draft.kind)
    service_fields = fields_of_mode(model, "output only")
    form = CanonicalForm(draft.value, model)
    for name in form.value:
        if name in service_fields:
            place = draft.place_of(form.given_path((name,)))
            notes.append(Note("dropped", f"{name}, which the service sets", place))
    for misfit in form.misfits:
        if not isinstance(misfit, (*KEPT_MISFITS, UnspecifiedEnumValue)):
            notes.append(_misfit_note(misfit, draft.place_of(misfit.path)))
    if form.further_misfits:
        notes.append(Note("dropped", f"{form.further_misfits:,} further parts of the document", draft.place))
    value = {"kind": draft.kind, **{name: part for name, part in form.value.items() if name not in service_fields}}
    moved = {new: draft.place_of(given) for new, given in form.moved.items()}
    return replace(draft, value=value, places={**draft.places, **moved})


def _misfit_note(misfit: Misfit, place: InputPlace) -> Note:
    match misfit:
        case UnknownField(model=model):
            return Note("dropped", f"a field that {model.__name__} does not have", place)
        case TwoSpellings():
            return Note("dropped", f"{misfit.field}, which is there in two spellings; the first counts", place)
        case WrongType(expected=expected, converted=None):
            return Note("dropped", f"{misfit.field}, which is not {expected}", place)
        case WrongType(expected=expected):
            return Note("guessed", f"{misfit.field}, which is text in the input and not {expected}", place)
    return Note("dropped", misfit.field, place)


GroupFeature = tuple[str, Mapping[str, Any], InputPlace]
"""A feature: the resource name of its group, its mapping for the document, and its place."""


def join_features(
    groups: Iterable[ImportedDocument], features: Iterable[GroupFeature], notes: list[Note]
) -> Iterator[ImportedDocument]:
    """The groups of an import with their features; adds notes on groups and features that are alone.

    The groups are FeatureGroupTables without features; of several of a name the first counts.
    """
    by_name: dict[str, ImportedDocument] = {}
    for group in groups:
        by_name.setdefault(group.resource, group)
    of_group: dict[str, list[tuple[Mapping[str, Any], InputPlace]]] = {name: [] for name in by_name}
    for name, feature, place in features:
        if name in of_group:
            of_group[name].append((feature, place))
        else:
            message = "a feature whose group is not in the input; import the group too"
            notes.append(Note("unresolved", message, place))
    for name, group in by_name.items():
        if not of_group[name]:
            message = "the features of the group, which are not in the input; import them too"
            notes.append(Note("unresolved", message, group.place))
        ordered = sorted(of_group[name], key=lambda feature: str(feature[0].get("id")))
        places: dict[Path, InputPlace] = {("features", at): place for at, (_, place) in enumerate(ordered)}
        value = {**group.value, "features": [feature for feature, _ in ordered]} if ordered else group.value
        yield replace(group, value=value, places={**group.places, **places})
