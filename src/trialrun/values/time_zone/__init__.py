"""IANA time zones, read from the pinned tzdata package and never from the system's copy."""

from trialrun.values.time_zone.check import check
from trialrun.values.time_zone.load import UnknownZone, zone
from trialrun.values.time_zone.names import IANA_VERSION, modern_name, names
from trialrun.values.time_zone.suggest import did_you_mean
from trialrun.values.time_zone.transitions import Change, changes, offset_at

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
