"""From a draft, as an importer reads it, to a document in canonical form with notes on what differed.

Feature groups whose features are resources of their own are collected first, then one document is made for each group.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from typing import Any

from trialrun.diagnostic import Path
from trialrun.importers.interface import Imported, ImportedDocument, InputPlace, Note
from trialrun.lazy_dataclass import dataclass
from trialrun.model.canonical import KEPT_MISFITS, canonical_form
from trialrun.model.kinds import model_of
from trialrun.model.misfit import Misfit, TwoSpellings, UnknownField, UnspecifiedEnumValue, WrongType
from trialrun.model.node import fields_of_mode


def complete(drafts: Iterable[ImportedDocument], notes: list[Note]) -> Imported:
    """Documents in canonical form, with notes on what they do not have after those of their importer."""
    return Imported([_complete(draft, notes) for draft in drafts], notes)


def _complete(draft: ImportedDocument, notes: list[Note]) -> ImportedDocument:
    model = model_of(draft.kind)
    service_fields = fields_of_mode(model, "output only")
    form = canonical_form(draft.value, model)
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


@dataclass(frozen=True, slots=True)
class GroupFeature:
    """A feature of a group: its mapping for the document, and its place."""

    group: str
    value: Mapping[str, Any]
    place: InputPlace


@dataclass(frozen=True, slots=True)
class FeatureGroups:
    """The groups and features of an import, by the resource names of the groups."""

    groups: dict[str, ImportedDocument] = field(default_factory=dict)
    features: list[GroupFeature] = field(default_factory=list)

    def add_group(self, group: ImportedDocument) -> None:
        """Add a group, as a FeatureGroupTable without features."""
        self.groups.setdefault(group.resource, group)

    def add_feature(self, feature: GroupFeature) -> None:
        """Add a feature of a group."""
        self.features.append(feature)

    def drafts(self, notes: list[Note]) -> Iterator[ImportedDocument]:
        """The groups with their features; adds notes on groups and features that are alone."""
        features: dict[str, list[GroupFeature]] = {name: [] for name in self.groups}
        for feature in self.features:
            if feature.group in features:
                features[feature.group].append(feature)
            else:
                message = "a feature whose group is not in the input; import the group too"
                notes.append(Note("unresolved", message, feature.place))
        for name, group in self.groups.items():
            if not features[name]:
                message = "the features of the group, which are not in the input; import them too"
                notes.append(Note("unresolved", message, group.place))
            ordered = sorted(features[name], key=lambda feature: str(feature.value.get("id")))
            places: dict[Path, InputPlace] = {("features", at): feature.place for at, feature in enumerate(ordered)}
            value = {**group.value, "features": [feature.value for feature in ordered]} if ordered else group.value
            yield replace(group, value=value, places={**group.places, **places})
