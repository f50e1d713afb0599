"""IANA time zones, read from the pinned tzdata package and never from the system's copy."""

from trialrun.values.time_zone.changes import Change, changes, offset_at
from trialrun.values.time_zone.judgement import check
from trialrun.values.time_zone.names import IANA_VERSION, modern_name, names
from trialrun.values.time_zone.suggestion import did_you_mean
from trialrun.values.time_zone.zones import UnknownZone, zone

__all__ = [
    "IANA_VERSION",
    "Change",
    "UnknownZone",
    "changes",
    "check",
    "did_you_mean",
    "modern_name",
    "names",
    "offset_at",
    "zone",
]
