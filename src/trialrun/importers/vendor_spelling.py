"""The spellings of the real API where the specification has neutral words."""

from __future__ import annotations

from collections.abc import Mapping

from trialrun.values.suggest import snake_case

VENDOR_FIELDS: Mapping[str, str] = {
    "warehouseSource": "bigQuerySource",
    "ragSource": "vertexRagSource",
    "kvStoreMetadata": "bigtableMetadata",
}
"""The spelling in the real API of fields of a FeatureView."""
FIELD_BY_SPELLING: Mapping[str, str] = {
    spelling: name for name, vendor in VENDOR_FIELDS.items() for spelling in (vendor, snake_case(vendor))
}
"""The field of a FeatureView by its spelling in the real API, in camelCase or snake_case."""
