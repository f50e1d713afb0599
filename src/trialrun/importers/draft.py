"""From a draft, as an importer reads it, to a document in canonical form with notes on what differed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trialrun.diagnostic import Path
from trialrun.importers.interface import Draft, ImportedDocument, InputPlace, Note
from trialrun.model.canonical import KEPT_MISFITS, CanonicalForm, canonical_form
from trialrun.model.kinds import model_of
from trialrun.model.misfit import Misfit, TwoSpellings, UnknownField, UnspecifiedEnumValue, WrongType
from trialrun.model.node import fields_of_mode


def complete(draft: Draft) -> tuple[ImportedDocument, list[Note]]:
    """The document of a draft, and notes on what it does not have."""
    model = model_of(draft.kind)
    service_fields = fields_of_mode(model, "output only")
    form = canonical_form(draft.value, model)
    value = {"kind": draft.kind, **{name: part for name, part in form.value.items() if name not in service_fields}}
    notes = [
        Note("dropped", f"{name}, which the service sets", place_in_draft(draft, form.given_path((name,))))
        for name in form.value
        if name in service_fields
    ]
    notes += _misfit_notes(draft, form)
    if form.further_misfits:
        notes.append(Note("dropped", f"{form.further_misfits:,} further parts of the document", draft.places[()]))
    places = _document_places(draft, form)
    return ImportedDocument(draft.kind, draft.resource, draft.id, value, places, draft.is_reshaped), notes


def place_in_draft(draft: Draft, path: Path) -> InputPlace:
    """The place in the input that a path of a draft comes from."""
    length = next(length for length in range(len(path), -1, -1) if path[:length] in draft.places)
    place = draft.places[path[:length]]
    return place if draft.is_reshaped else place.below(*path[length:])


def _document_places(draft: Draft, form: CanonicalForm) -> Mapping[Path, InputPlace]:
    """The places by path in the canonical form: those of the draft, and those of parts that moved."""
    moved = {new: place_in_draft(draft, given) for new, given in form.moved.items()}
    return {**draft.places, **moved}


def _misfit_notes(draft: Draft, form: CanonicalForm) -> Iterator[Note]:
    for misfit in form.misfits:
        if isinstance(misfit, (*KEPT_MISFITS, UnspecifiedEnumValue)):
            continue
        yield _misfit_note(misfit, place_in_draft(draft, misfit.path))


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
