"""IANA time zones, read from the pinned tzdata package and never from the system's copy."""

from trialrun.values.time_zone.check import check, suggest_zone
from trialrun.values.time_zone.zones import (
    IANA_VERSION,
    Transition,
    UnknownTimeZoneError,
    changed_zones,
    load_zone,
    modern_name,
    offset_at,
    transitions_in_year,
    zone_names,
)

__all__ = [
    "IANA_VERSION", "Transition", "UnknownTimeZoneError", "changed_zones", "check", "load_zone", "modern_name",
    "offset_at", "suggest_zone", "transitions_in_year", "zone_names",
]  # fmt: skip
