"""Timestamps: the cases with their oracles, what is said and where, and the way there and back."""

import re
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_of
from trialrun.values import timestamp
from trialrun.values.amounts import parse_minutes
from trialrun.values.timestamp import MAX_SECONDS, MIN_SECONDS, Timestamp

CASES = yaml.safe_load((Path(__file__).parent.parent / "cases/rfc3339_cases.yaml").read_text(encoding="utf-8"))["cases"]
TIMES = [case for case in CASES if case["protojson"]]
OTHERS = [case["text"] for case in CASES if not case["protojson"]]


def say(text):
    """The problems of a text: the characters, what replaces them."""
    return [(text[p.start : p.end], p.replacement) for p in timestamp.check(text)]


@each_of(TIMES)
def test_times_have_the_z_form_of_the_cases(case):
    assert timestamp.check(case["text"]) == ()
    assert str(timestamp.parse(case["text"])) == case["normalized"]


@each_of(OTHERS)
def test_the_rest_is_invalid(text):
    assert {p.code for p in timestamp.check(text)} == {"invalid"}
    with pytest.raises(ValueError, match=re.escape(timestamp.check(text)[0].message)):
        timestamp.parse(text)


@each_of(
    [
        ("2024-01-02t03:04:05Z", "t", "T", "2024-01-02T03:04:05Z"),
        ("2024-01-02T03:04:05z", "z", "Z", "2024-01-02T03:04:05Z"),
        ("2024-01-02t03:04:05z", "t03:04:05z", "T03:04:05Z", "2024-01-02T03:04:05Z"),
        ("2024-01-02 03:04:05Z", " ", "T", "2024-01-02T03:04:05Z"),
        ("2024-01-02T03:04:05+0530", "", ":", "2024-01-01T21:34:05Z"),
        ("2024-01-02T03:04:05+05", "", ":00", "2024-01-01T22:04:05Z"),
        ("2024-01-02T03:04:05−05:00", "−", "-", "2024-01-02T08:04:05Z"),
        ("2024-01-02T03:04:05,5Z", ",", ".", "2024-01-02T03:04:05.500Z"),
        ("2024-01-02T03:04:05.Z", ".", "", "2024-01-02T03:04:05Z"),
        ("2024-01-02T03:04:05.1234567890Z", "0", "", "2024-01-02T03:04:05.123456789Z"),
        ("2024-01-02T03:04Z", "", ":00", "2024-01-02T03:04:00Z"),
        ("2024-01-02T03:04:05 UTC", " UTC", "Z", "2024-01-02T03:04:05Z"),
        ("2024-01-02T03:04:05Z[Europe/Paris]", "[Europe/Paris]", "", "2024-01-02T03:04:05Z"),
        ("2024-01-02T03:04:05Z\n", "\n", "", "2024-01-02T03:04:05Z"),
        ("20240102T030405Z", "0102T0304", "-01-02T03:04:", "2024-01-02T03:04:05Z"),
        ("2024-01-02T03:04:05", "", None, None),
        ("2024-01-02", "", None, None),
        ("2024-01-02T03:04:60Z", "60", None, None),
        ("2024-01-02T24:00:00Z", "24", None, None),
        ("2024-13-02T03:04:05Z", "13", None, None),
        ("2024-00-02T03:04:05Z", "00", None, None),
        ("2023-02-29T03:04:05Z", "29", None, None),
        ("1900-02-29T03:04:05Z", "29", None, None),
        ("2024-01-00T03:04:05Z", "00", None, None),
        ("0000-01-02T03:04:05Z", "0000", None, None),
        ("2024-01-02T03:04:05+24:00", "+24:00", None, None),
        ("2024-01-02T03:04:05+00:60", "+00:60", None, None),
        ("9999-12-31T23:59:59-00:01", "-00:01", None, None),
        ("2024-01-02T03:04:05.1234567891Z", "1", None, None),
        ("now", "now", None, None),
        ("２024-01-02T03:04:05Z", "２024-01-02T03:04:05Z", None, None),
    ]
)
def test_invalid_at_what_is_wrong(text, characters, replacement, z_form):
    assert say(text) == [(characters, replacement)]
    assert timestamp.canonical_form(text) == z_form


def test_a_missing_offset_is_missed_at_the_end():
    assert [(p.start, p.end) for p in timestamp.check("2024-01-02T03:04:05")] == [(19, 19)]


def test_every_number_out_of_range_is_a_problem():
    assert say("2024-13-01T25:60:00Z") == [("13", None), ("25", None), ("60", None)]


@each_of(
    [
        (Timestamp(0), "1970-01-01T00:00:00Z"),
        (Timestamp(-1, 999_999_999), "1969-12-31T23:59:59.999999999Z"),
        (Timestamp(0, 1_000), "1970-01-01T00:00:00.000001Z"),
        (Timestamp(0, 120_000_000), "1970-01-01T00:00:00.120Z"),
        (Timestamp(MIN_SECONDS), "0001-01-01T00:00:00Z"),
        (Timestamp(MAX_SECONDS, 999_999_999), "9999-12-31T23:59:59.999999999Z"),
    ]
)
def test_text(instant, text):
    assert str(instant) == text
    assert timestamp.parse(text) == instant


def test_instants_are_ordered_by_time():
    earlier, later = timestamp.parse("2024-01-02T03:04:05.9+01:00"), timestamp.parse("2024-01-02T03:04:05Z")
    assert earlier < later


@given(st.integers(MIN_SECONDS, MAX_SECONDS), st.integers(0, 999_999_999))
def test_there_and_back(seconds, nanos):
    assert timestamp.parse(str(Timestamp(seconds, nanos))) == Timestamp(seconds, nanos)


@given(
    st.datetimes(min_value=datetime(2, 1, 1), max_value=datetime(9998, 1, 1)),
    st.integers(-23 * 60 - 59, 23 * 60 + 59).map(lambda minutes: timezone(timedelta(minutes=minutes))),
)
def test_instants_are_those_of_datetime(moment, zone):
    moment = moment.replace(tzinfo=zone)
    since = moment - datetime(1970, 1, 1, tzinfo=UTC)
    found = timestamp.parse(moment.isoformat())
    assert found == Timestamp(since.days * 86400 + since.seconds, since.microseconds * 1000)


NEARLY = st.from_regex(
    r"\A[0-9]{4}-?[01][0-9]-?[0-3][0-9][Tt _]?[0-6][0-9]:?[0-6][0-9](:?[0-6][0-9])?([.,][0-9]{0,11})?"
    r"[Z+z-]?([0-9]{2}:?([0-9]{2})?)?\s?\Z"
)


@given(st.one_of(st.text(), st.text("0123456789-:.TZ+tz "), NEARLY))
def test_any_text_is_judged_within_its_bounds(text):
    problems = timestamp.check(text)
    assert all(0 <= p.start <= p.end <= len(text) for p in problems)


@given(NEARLY)
def test_a_replacement_makes_it_a_time(text):
    for p in timestamp.check(text):
        if p.replacement is not None:
            cured = text[: p.start] + p.replacement + text[p.end :]
            assert timestamp.check(cured) == ()
            assert str(timestamp.parse(cured)) == timestamp.canonical_form(text)


@each_of(
    [
        "2024-01-02t03:04:05Z", "2024-01-02T03:04:05z", "2024-01-02 03:04:05Z", "2024-01-02T03:04:05.1234567890Z",
        "2024-01-02T03:04:05.1234567891Z", "2016-12-31T23:59:60Z", "0000-01-02T03:04:05Z", "9999-12-31T23:59:59-00:01",
    ]
)  # fmt: skip
def test_what_rfc_3339_allows_is_not_called_invalid_in_it(text: str) -> None:
    (problem,) = timestamp.check(text)
    assert "valid in RFC 3339, and refused by ProtoJSON readers" in problem.message
    assert "not valid" not in problem.message


@each_of(["2024-01-02T03:04:05+0530", "2024-01-02T03:04:05,5Z", "2024-01-02T03:04:05 UTC", "20240102T030405Z"])
def test_what_rfc_3339_does_not_allow_is_not_called_valid(text: str) -> None:
    (problem,) = timestamp.check(text)
    assert "valid in RFC 3339, and" not in problem.message


@each_of(
    [
        (datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), "2026-01-02T03:04:05Z"),
        (datetime(2026, 1, 2, 3, 4, 5, 120000, tzinfo=UTC), "2026-01-02T03:04:05.120Z"),
        (datetime(2026, 1, 2, 3, 4, 5, 1, tzinfo=UTC), "2026-01-02T03:04:05.000001Z"),
        (datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone(timedelta(hours=2))), "2026-01-02T01:04:05Z"),
    ]
)
def test_a_time_is_written_in_the_z_form(time: datetime, text: str) -> None:
    assert timestamp.format_timestamp(time) == text


@each_of(
    [
        (15, 15), ("15", 15), ("15m", 15), ("1h", 60), ("1d", 1440), ("1h30m", 90), (" 2 h ", 120), ("1d 1h", 1500),
        (0, 0),
    ]
)  # fmt: skip
def test_a_duration_is_so_many_minutes(text: int | str, expected: int) -> None:
    assert parse_minutes(text) == expected


@each_of(["", "soon", "-15", -15, "15s", "1.5h", "1h30", "h", "15 minutes", "١٥"])
def test_what_is_no_duration_is_refused(text: int | str) -> None:
    with pytest.raises(ValueError, match="is not a duration; write minutes"):
        parse_minutes(text)
