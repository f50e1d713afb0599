"""The resources of the API, one by one: each in the words of our models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trialrun.diagnostic import Path
from trialrun.importers.feature_groups import GroupFeature
from trialrun.importers.interface import MAX_FIELD_NOTES, Draft, InputPlace, Note
from trialrun.importers.vendor_spelling import FIELD_BY_SPELLING
from trialrun.values.suggest import snake_case


class Fields:
    """The fields of a message of the API, by either spelling; `place` is that of the message."""

    def __init__(self, value: Any, place: InputPlace) -> None:
        self._value: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
        self.place = place
        self._read: set[str] = set()

    def get(self, name: str) -> tuple[Any, InputPlace] | None:
        """The value of a field and its place; None if it is unset."""
        for key in dict.fromkeys((name, snake_case(name))):
            self._read.add(key)
            if self._value.get(key) is not None:
                return self._value[key], self.place.below(key)
        return None

    def message(self, name: str) -> Fields:
        """The message in a field; an empty one if it is unset."""
        value, place = self.get(name) or ({}, self.place)
        return Fields(value, place)

    def drop_others(self, notes: list[Note]) -> None:
        """Note the fields that nobody asked for."""
        others = [key for key in self._value if key not in self._read]
        for key in others[:MAX_FIELD_NOTES]:
            notes.append(Note("dropped", "a field that is not imported", self.place.below(key)))
        if len(others) > MAX_FIELD_NOTES:
            notes.append(Note("dropped", f"{len(others) - MAX_FIELD_NOTES:,} further fields", self.place))


def resource_name(value: Mapping[str, Any]) -> str:
    """The name of a resource; empty if it has none."""
    name = value.get("name")
    return name if isinstance(name, str) else ""


def feature_view(value: Mapping[str, Any], place: InputPlace, notes: list[Note]) -> Draft:
    """A FeatureView, with the vendor's spellings replaced."""
    fields: dict[str, Any] = {}
    places: dict[Path, InputPlace] = {(): place}
    for key, part in value.items():
        name = FIELD_BY_SPELLING.get(key, key)
        if name != key and (name in value or name in fields):
            message = f"{name}, which is there in two spellings; the first counts"
            notes.append(Note("dropped", message, place.below(key)))
            continue
        fields[name] = part
        if name != key:
            places[(name,)] = place.below(key)
    return Draft("FeatureView", resource_name(value), fields, places)


def online_store(value: Mapping[str, Any], place: InputPlace, notes: list[Note]) -> Draft:
    """A FeatureOnlineStore, whose type is the message that it has."""
    fields = Fields(value, place)
    draft: dict[str, Any] = {}
    places: dict[Path, InputPlace] = {(): place}
    _copy(fields, {"name": "name"}, draft, places)
    types = {type_: found for key, type_ in STORE_TYPES.items() if (found := fields.get(key)) is not None}
    for type_, (_, type_place) in types.items():
        if len(types) == 1:
            draft["type"], places[("type",)] = type_, type_place
    if len(types) != 1:
        notes.append(
            Note("unresolved", "the type of the online store, which has neither bigtable nor optimized, or both", place)
        )
    fields.drop_others(notes)
    return Draft("FeatureOnlineStore", resource_name(value), draft, places)


STORE_TYPES = {"bigtable": "KEY_VALUE", "optimized": "OPTIMIZED"}


def feature_group(value: Mapping[str, Any], place: InputPlace, notes: list[Note]) -> Draft:
    """A FeatureGroup, as a FeatureGroupTable without features."""
    fields = Fields(value, place)
    name = resource_name(value)
    fields.get("name")
    group_id, name_place = name.rpartition("/")[2], place.below("name")
    draft: dict[str, Any] = {"name": group_id, "featureGroupId": group_id}
    places: dict[Path, InputPlace] = {
        (): place,
        ("name",): name_place,
        ("featureGroupId",): name_place,
    }
    project = name.split("/")[1:2]
    if project and project[0].isascii() and project[0].isdecimal():
        draft["projectNumber"], places[("projectNumber",)] = project[0], name_place
    table = fields.message("bigQuery")
    _copy(table.message("bigQuerySource"), {"inputUri": "uri"}, draft, places)
    _copy(table, {"entityIdColumns": "entityIdColumns", "dense": "dense"}, draft, places)
    _copy(table.message("timeSeries"), {"timestampColumn": "timestampColumn"}, draft, places)
    table.drop_others(notes)
    fields.drop_others(notes)
    return Draft("FeatureGroupTable", name, draft, places)


def feature(value: Mapping[str, Any], place: InputPlace, notes: list[Note]) -> GroupFeature:
    """A feature of a feature group."""
    fields = Fields(value, place)
    name = resource_name(value)
    fields.get("name")
    feature_id = name.rpartition("/")[2]
    entry: dict[str, Any] = {"id": feature_id}
    column = fields.get("versionColumnName")
    if column is not None and column[0] != feature_id:
        entry["column"] = column[0]
    fields.drop_others(notes)
    return GroupFeature(name.rpartition("/features/")[0], entry, place)


def _copy(fields: Fields, names: Mapping[str, str], draft: dict[str, Any], places: dict[Path, InputPlace]) -> None:
    """Copy the fields that are set, under the names of our model."""
    for vendor, name in names.items():
        found = fields.get(vendor)
        if found is not None:
            draft[name], places[(name,)] = found
