"""Feature groups whose features are resources of their own: collected first, then one document for each group."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any

from trialrun.diagnostic import Path
from trialrun.importers.interface import Draft, InputPlace, Note
from trialrun.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class GroupFeature:
    """A feature of a group: its mapping for the document, and its place."""

    group: str
    value: Mapping[str, Any]
    place: InputPlace


@dataclass(frozen=True, slots=True)
class FeatureGroups:
    """The groups and features of an import, by the resource names of the groups."""

    groups: dict[str, Draft] = field(default_factory=dict)
    features: list[GroupFeature] = field(default_factory=list)

    def add_group(self, group: Draft) -> None:
        """Add a group, as a FeatureGroupTable without features."""
        self.groups.setdefault(group.resource, group)

    def add_feature(self, feature: GroupFeature) -> None:
        """Add a feature of a group."""
        self.features.append(feature)

    def drafts(self, notes: list[Note]) -> Iterator[Draft]:
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
                notes.append(Note("unresolved", message, group.places[()]))
            yield _with_features(group, features[name])


def _with_features(group: Draft, features: list[GroupFeature]) -> Draft:
    ordered = sorted(features, key=lambda feature: str(feature.value.get("id")))
    places: dict[Path, InputPlace] = {("features", index): feature.place for index, feature in enumerate(ordered)}
    value = {**group.value, "features": [feature.value for feature in ordered]} if ordered else group.value
    return Draft(group.kind, group.resource, value, {**group.places, **places})
