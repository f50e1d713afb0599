"""From a zone's name to its clocks."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from trialrun.values.time_zone.names import FOLDER, zone_names

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo


class UnknownTimeZoneError(LookupError):
    """A name that the IANA time zone database does not have."""


@cache
def load_zone(name: str) -> ZoneInfo:
    """The clocks of a zone; raises UnknownTimeZoneError for a name that the database does not have.

    The result can be neither pickled nor deep-copied: keep the name and ask again.
    """
    if name not in zone_names():
        raise UnknownTimeZoneError(f'"{name}" is not an IANA time zone name')
    from zoneinfo import ZoneInfo

    with (FOLDER / "zoneinfo").joinpath(*name.split("/")).open("rb") as file:
        return ZoneInfo.from_file(file, key=name)
