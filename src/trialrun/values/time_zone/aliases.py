"""What people write instead of a zone name: cities, abbreviations, Windows' names.

Keys are in small letters without punctuation. Only cities that are not themselves the end of an IANA name are
listed; Windows' names are in `windows_zones.txt`.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

CITIES = {
    "abudhabi": "Asia/Dubai",
    "atlanta": "America/New_York",
    "austin": "America/Chicago",
    "bangalore": "Asia/Kolkata",
    "barcelona": "Europe/Madrid",
    "beijing": "Asia/Shanghai",
    "bengaluru": "Asia/Kolkata",
    "bombay": "Asia/Kolkata",
    "boston": "America/New_York",
    "canberra": "Australia/Sydney",
    "capetown": "Africa/Johannesburg",
    "chennai": "Asia/Kolkata",
    "cologne": "Europe/Berlin",
    "dallas": "America/Chicago",
    "delhi": "Asia/Kolkata",
    "dusseldorf": "Europe/Berlin",
    "edinburgh": "Europe/London",
    "frankfurt": "Europe/Berlin",
    "geneva": "Europe/Zurich",
    "guangzhou": "Asia/Shanghai",
    "hamburg": "Europe/Berlin",
    "hanoi": "Asia/Ho_Chi_Minh",
    "houston": "America/Chicago",
    "hyderabad": "Asia/Kolkata",
    "kyoto": "Asia/Tokyo",
    "lasvegas": "America/Los_Angeles",
    "manchester": "Europe/London",
    "miami": "America/New_York",
    "milan": "Europe/Rome",
    "montreal": "America/Toronto",
    "mumbai": "Asia/Kolkata",
    "munich": "Europe/Berlin",
    "newdelhi": "Asia/Kolkata",
    "nyc": "America/New_York",
    "osaka": "Asia/Tokyo",
    "ottawa": "America/Toronto",
    "philadelphia": "America/New_York",
    "portland": "America/Los_Angeles",
    "pune": "Asia/Kolkata",
    "rio": "America/Sao_Paulo",
    "riodejaneiro": "America/Sao_Paulo",
    "saigon": "Asia/Ho_Chi_Minh",
    "saltlakecity": "America/Denver",
    "sandiego": "America/Los_Angeles",
    "sanfrancisco": "America/Los_Angeles",
    "seattle": "America/Los_Angeles",
    "shenzhen": "Asia/Shanghai",
    "stuttgart": "Europe/Berlin",
    "telaviv": "Asia/Jerusalem",
    "washington": "America/New_York",
    "washingtondc": "America/New_York",
    "wellington": "Pacific/Auckland",
}

ABBREVIATIONS = {
    "acst": ("Australia/Adelaide",),
    "aedt": ("Australia/Sydney",),
    "aest": ("Australia/Sydney",),
    "akdt": ("America/Anchorage",),
    "akst": ("America/Anchorage",),
    "ast": ("America/Halifax", "Asia/Riyadh"),
    "awst": ("Australia/Perth",),
    "brt": ("America/Sao_Paulo",),
    "bst": ("Europe/London", "Asia/Dhaka"),
    "cat": ("Africa/Maputo",),
    "cdt": ("America/Chicago", "America/Havana"),
    "cest": ("Europe/Paris",),
    "cst": ("America/Chicago", "Asia/Shanghai", "America/Havana"),
    "eat": ("Africa/Nairobi",),
    "edt": ("America/New_York",),
    "eest": ("Europe/Athens",),
    "gst": ("Asia/Dubai",),
    "hkt": ("Asia/Hong_Kong",),
    "ict": ("Asia/Bangkok",),
    "idt": ("Asia/Jerusalem",),
    "ist": ("Asia/Kolkata", "Europe/Dublin", "Asia/Jerusalem"),
    "jst": ("Asia/Tokyo",),
    "kst": ("Asia/Seoul",),
    "mdt": ("America/Denver",),
    "msk": ("Europe/Moscow",),
    "nzdt": ("Pacific/Auckland",),
    "nzst": ("Pacific/Auckland",),
    "pdt": ("America/Los_Angeles",),
    "pht": ("Asia/Manila",),
    "pkt": ("Asia/Karachi",),
    "pst": ("America/Los_Angeles",),
    "sast": ("Africa/Johannesburg",),
    "sgt": ("Asia/Singapore",),
    "trt": ("Europe/Istanbul",),
    "west": ("Europe/Lisbon",),
    "wib": ("Asia/Jakarta",),
}


@cache
def windows_zones() -> dict[str, str]:
    """By Windows' name, the zone that it means."""
    lines = Path(__file__).with_name("windows_zones.txt").read_text(encoding="ascii").splitlines()
    pairs = (line.split("\t") for line in lines if not line.startswith("#"))
    return {squash(name): zone for name, zone in pairs}


def squash(name: str) -> str:
    """The letters and digits of a name, which tell names apart."""
    return "".join(filter(str.isalnum, name.casefold()))
