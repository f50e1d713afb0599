"""Descriptions of enum values, and notes on fields beyond the tables of the specifications."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from trialrun.model.field_declaration import UNSPECIFIED

DESCRIPTIONS: Final[Mapping[str, Mapping[str, str]]] = {
    "FeatureView.serviceAgentType": {
        "SERVICE_AGENT_TYPE_UNSPECIFIED": "The project-level service agent is used (default).",
        "SERVICE_AGENT_TYPE_PROJECT": "The project-level service agent is used during sync jobs.",
        "SERVICE_AGENT_TYPE_FEATURE_VIEW": (
            "A service account specific to the view is created and returned in serviceAccountEmail; it reads the "
            "source table during sync. Used to isolate a view within a project by IAM policy."
        ),
    },
    "IndexConfig.distanceMeasureType": {
        "DISTANCE_MEASURE_TYPE_UNSPECIFIED": "Should not be set.",
        "SQUARED_L2_DISTANCE": "Euclidean (L2) distance.",
        "COSINE_DISTANCE": (
            "1 minus cosine similarity. DOT_PRODUCT_DISTANCE with UNIT_L2_NORM is suggested instead; it ranks "
            "identically."
        ),
        "DOT_PRODUCT_DISTANCE": "Negative of the dot product.",
    },
    "OperationsConfig.interactionMode": {
        "ORDER_TAKING": "Two-way conversation to take orders.",
        "LISTEN_ONLY": "Agent listens and does not speak.",
    },
    "DisambiguationMapping.type": {
        "SINGLE_TARGET": "Shortcuts, custom combos, valid synonyms.",
        "INVALID_ITEM": "Invalid, out-of-stock or competitor items.",
        "DISAMBIGUATION": "Ambiguous input needing clarification among several valid targets.",
    },
    "ChannelConfig.state": {
        "DRAFT": (
            "The configuration has no associated config application rules and is not the default configuration of "
            "the brand. Not yet ready for use."
        ),
        "ACTIVE": (
            "The configuration is associated with at least one config application rule, or is set as the brand's "
            "default. Can be used; the runtime applies it to matching stores."
        ),
        "PROMOTED": "The configuration is promoted.",
    },
    "ExpectedValue.level": {
        "brand-default": "The first of the four levels; the others overwrite it.",
        "brand-binding": "The second of the four levels: overwrites brand defaults.",
        "store-default": "The third of the four levels: overwrites what the brand sets.",
        "store-binding": "The last of the four levels: overwrites all others.",
    },
}
"""By field, descriptions of those values that have one."""
NOTES: Final[Mapping[str, str]] = {
    "FeatureView.labels": (
        "System label keys, which begin with a prefix and a slash, are immutable and are not counted among the 64."
    )
}
"""By field, additions from the section Limits of the specification."""
UNSET: Final = "Counts as unset."


def enum_description(field: str, value: str) -> str | None:
    """The meaning of an enum value; None if the specification does not describe it."""
    description = DESCRIPTIONS.get(field, {}).get(value)
    return description or (UNSET if value.endswith(UNSPECIFIED) else None)
