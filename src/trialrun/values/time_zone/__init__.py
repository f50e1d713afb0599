"""IANA time zones, read from the pinned tzdata package and never from the system's copy."""

from trialrun.values.time_zone.check import check
from trialrun.values.time_zone.load import UnknownTimeZoneError, load_zone
from trialrun.values.time_zone.names import IANA_VERSION, changed_zones, modern_name, zone_names
from trialrun.values.time_zone.suggest_zone import suggest_zone
from trialrun.values.time_zone.transitions import Transition, offset_at, transitions_in_year

__all__ = [
    "IANA_VERSION",
    "Transition",
    "UnknownTimeZoneError",
    "changed_zones",
    "check",
    "load_zone",
    "modern_name",
    "offset_at",
    "suggest_zone",
    "transitions_in_year",
    "zone_names",
]
