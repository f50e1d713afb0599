"""Which zone names are good, and when clocks change."""

import struct
import subprocess
import sys
from collections.abc import Mapping
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
import tzdata
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_of, share_of
from trialrun.values import time_zone
from trialrun.values.time_zone import ABBREVIATIONS, CITIES, STRIDE, windows_zones

UNKNOWN = [
    ("", None),
    (" ", None),
    ("Factory", None),
    ("Local", None),
    ("localtime", None),
    ("/etc/localtime", None),
    ("../../etc/passwd", None),
    ("posix/UTC", "UTC"),
    ("Nowhere/City", None),
    ("America", None),
    ("utc", "UTC"),
    ("Utc", "UTC"),
    ("america/new_york", "America/New_York"),
    ("AMERICA/NEW_YORK", "America/New_York"),
    ("America/New York", "America/New_York"),
    ("America/NewYork", "America/New_York"),
    ("America\\New_York", "America/New_York"),
    ("America/New_Yrok", "America/New_York"),
    ("America/SanFrancisco", "America/Los_Angeles"),
    ("Amercia/Chicago", "America/Chicago"),
    ("new_york", "America/New_York"),
    ("Tokyo", "Asia/Tokyo"),
    ("Europe/Tokyo", "Asia/Tokyo"),
    ("Europe/Londn", "Europe/London"),
    ("asia/calcutta", "Asia/Kolkata"),
    ("us/eastern", "America/New_York"),
    ("canada/pacific", "America/Vancouver"),
    ("us pacific", "America/Los_Angeles"),
    ("Asia/Beijing", "Asia/Shanghai"),
    ("Asia/Mumbai", "Asia/Kolkata"),
    ("Europe/Frankfurt", "Europe/Berlin"),
    ("San_Francisco", "America/Los_Angeles"),
    ("Washington", "America/New_York"),
    ("Capetown", "Africa/Johannesburg"),
    ("PST", "America/Los_Angeles"),
    ("EDT", "America/New_York"),
    ("CEST", "Europe/Paris"),
    ("JST", "Asia/Tokyo"),
    ("IST", None),
    ("CST", None),
    ("BST", None),
    ("Eastern Standard Time", "America/New_York"),
    ("W. Europe Standard Time", "Europe/Berlin"),
    ("+02:00", None),
    ("UTC+2", None),
    ("GMT-05:30", None),
    ("UTC+0", "UTC"),
    ("+00:00", "UTC"),
    ("x" * 100_000, None),
]


@each_of(UNKNOWN)
def test_unknown_names(name: str, meant: str | None) -> None:
    problem = time_zone.check(name)
    assert problem is not None
    assert (problem.code, problem.start, problem.end, problem.replacement) == ("unknown", 0, len(name), meant)


@each_of(
    [
        ("IST", "Asia/Kolkata, Europe/Dublin, Asia/Jerusalem"),
        ("PST", "abbreviation"),
        ("UTC+2", "Etc/GMT-2"),
        ("UTC-05:30", "offset"),
        ("Etc/GMT+5", "5 hours behind UTC"),
        ("Etc/GMT-1", "1 hour ahead of UTC"),
        ("EST", "America/New_York"),
        ("Factory", "no zone is set"),
    ]
)
def test_messages(name: str, words: str) -> None:
    problem = time_zone.check(name)
    assert problem is not None
    assert words in problem.message


@each_of(
    [
        ("US/Eastern", "America/New_York"), ("Asia/Calcutta", "Asia/Kolkata"), ("Europe/Kiev", "Europe/Kyiv"),
        ("GB", "Europe/London"), ("Iceland", "Atlantic/Reykjavik"), ("Africa/Asmera", "Africa/Asmara"),
        ("Africa/Timbuktu", "Africa/Bamako"), ("America/Virgin", "America/St_Thomas"),
        ("America/Coral_Harbour", "America/Atikokan"), ("Pacific/Ponape", "Pacific/Pohnpei"),
        ("Pacific/Truk", "Pacific/Chuuk"), ("Pacific/Yap", "Pacific/Chuuk"),
        ("Antarctica/South_Pole", "Antarctica/McMurdo"), ("Atlantic/Jan_Mayen", "Arctic/Longyearbyen"),
        ("EST", "America/Panama"), ("MST", "America/Phoenix"), ("HST", "Pacific/Honolulu"), ("CET", "Europe/Brussels"),
        ("MET", "Europe/Brussels"), ("EET", "Europe/Athens"), ("WET", "Europe/Lisbon"), ("EST5EDT", "America/New_York"),
        ("CST6CDT", "America/Chicago"), ("MST7MDT", "America/Denver"), ("PST8PDT", "America/Los_Angeles"),
        ("Etc/GMT+5", None), ("Etc/GMT-14", None),
    ]
)  # fmt: skip
def test_deprecated_names(name: str, modern: str | None) -> None:
    problem = time_zone.check(name)
    assert problem is not None
    assert (problem.code, problem.start, problem.end, problem.replacement) == ("deprecated", 0, len(name), modern)


ZONES = sorted(name for name in time_zone.zone_names() if not time_zone.modern_name(name))
GOOD = ["UTC", "GMT", "Etc/UTC", "Etc/GMT", "America/New_York", "Europe/Oslo", "Africa/Accra", "Pacific/Chuuk"]


@each_of(GOOD)
def test_good_names(name: str) -> None:
    assert time_zone.check(name) is None


def test_every_modern_name_is_good() -> None:
    modern = {time_zone.modern_name(name) for name in time_zone.zone_names()} - {None}
    assert [name for name in modern if name and time_zone.check(name)] == []


@pytest.mark.parametrize("table", [CITIES, ABBREVIATIONS], ids=["cities", "abbreviations"])
def test_every_suggestion_of_the_tables_is_good(table: Mapping[str, str | tuple[str, ...]]) -> None:
    zones = [zones if isinstance(zones, tuple) else (zones,) for zones in table.values()]
    assert [zone for group in zones for zone in group if time_zone.check(zone)] == []


def test_every_zone_of_windows_is_a_zone_and_what_is_suggested_for_its_name() -> None:
    assert len(windows_zones()) > 120
    assert {*windows_zones().values()} <= time_zone.zone_names()
    modern = {name: time_zone.modern_name(zone) or zone for name, zone in windows_zones().items()}
    assert {name: time_zone.suggest_zone(name) for name in modern} == modern


@each_of(["Eastern Time", "Eastern Daylight Time", "Eastern Time (US & Canada)", "eastern standard time"])
def test_other_forms_of_a_name_of_windows_mean_the_same_zone(name: str) -> None:
    assert time_zone.suggest_zone(name) == "America/New_York"


@given(st.text(max_size=40))
def test_no_text_raises(name: str) -> None:
    problem = time_zone.check(name)
    assert (problem is None or problem.code == "deprecated") == (name in time_zone.zone_names() - {"Factory"})


@each_of(["", "america/new_york", "/etc/passwd", "America", "right/UTC", "\0"])
def test_only_names_of_the_database_have_clocks(name: str) -> None:
    with pytest.raises(time_zone.UnknownTimeZoneError):
        time_zone.load_zone(name)


def test_clocks_are_those_of_the_pinned_package() -> None:
    assert time_zone.load_zone("America/Vancouver").key == "America/Vancouver"
    assert time_zone.IANA_VERSION == tzdata.IANA_VERSION


@pytest.mark.generated
@each_of(share_of(ZONES, 32))
def test_changes_are_those_of_the_compiled_file(name: str) -> None:
    expected = _compiled(name)
    years = sorted({change.at.year for change in expected})
    found = [change for year in years for change in time_zone.transitions_in_year(name, year)]
    assert found[: len(expected)] == expected


@pytest.mark.generated
@each_of(share_of(ZONES, 32))
def test_no_zone_changes_twice_between_two_looks(name: str) -> None:
    moments = [change.at for change in _compiled(name)]
    assert all(later - earlier > STRIDE for earlier, later in pairwise(moments))


def _compiled(name: str) -> list[time_zone.Transition]:
    """The changes of offset that a TZif file lists (RFC 9636, the 64-bit block)."""
    content = Path(next(iter(tzdata.__path__)), "zoneinfo", name).read_bytes()
    utc, std, leap, times, types, chars = struct.unpack(">6l", content[20:44])
    block = content[44 + times * 5 + types * 6 + chars + leap * 8 + std + utc :]
    *_, times, types, _ = struct.unpack(">6l", block[20:44])
    moments = struct.unpack(f">{times}q", block[44 : 44 + 8 * times])
    kinds = block[44 + 8 * times : 44 + 9 * times]
    start = 44 + 9 * times
    offsets = [
        timedelta(seconds=struct.unpack(">l", block[at : at + 4])[0]) for at in range(start, start + 6 * types, 6)
    ]
    changes, before = [], offsets[0]
    for moment, kind in zip(moments, kinds, strict=True):
        if offsets[kind] != before and moment > -(2**40):
            changes.append(
                time_zone.Transition(datetime(1970, 1, 1) + timedelta(seconds=moment), before, offsets[kind])
            )
        before = offsets[kind]
    return changes


def test_the_names_are_known_without_loading_a_zone() -> None:
    program = (
        "import sys; from trialrun.values import time_zone; time_zone.zone_names(); print('zoneinfo' in sys.modules)"
    )
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == "False"
