"""What is wrong with a text, at which characters, and what was meant."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_of
from trialrun.values import cron
from trialrun.values.cron.grammar import MAX_PROBLEMS

SYNTAX = [  # text, the characters at fault, what is meant, a word of the message
    ("", "", None, "empty"),
    (" \t", " \t", None, "empty"),
    ("0 0 0 * * *", "0 0 0 * * *", "0 0 * * *", "looks like seconds"),
    ("30 0 0 * * *", "30 0 0 * * *", None, "looks like seconds"),
    ("0 0 12 * * ? 2030", "0 0 12 * * ? 2030", None, "year"),
    ("0 0 * * MON, FRI", "0 0 * * MON, FRI", "0 0 * * MON,FRI", "spaces"),
    ("* * * *", "* * * *", None, "four fields"),
    ("60 * * * *", "60", None, "0-59"),
    ("0 24 * * *", "24", "0", "midnight"),
    ("0 5-24 * * *", "24", "23", "last hour"),
    ("0 0 * * 8", "8", None, "Sunday is 0"),
    ("0 22-2 * * *", "22-2", "22-23,0-2", "backwards"),
    ("0 22-2/2 * * *", "22-2/2", "22,0,2", "backwards"),
    ("55-5 * * * *", "55-5", "55-59,0-5", "backwards"),
    ("0 0 28-3 * *", "28-3", "28-31,1-3", "backwards"),
    ("0 0 * NOV-FEB *", "NOV-FEB", "NOV-DEC,JAN-FEB", "backwards"),
    ("0 0 * * FRI-MON", "FRI-MON", "FRI-SAT,SUN-MON", "backwards"),
    ("0 0 * * FRI-SUN", "FRI-SUN", "FRI-SAT,SUN", "SUN is 0"),
    ("0 0 * * SAT-SUN", "SAT-SUN", "SAT,SUN", "SUN is 0"),
    ("0 0 * * 6-0", "6-0", "6,0", "backwards"),
    ("0 0 * * 7-2", "7-2", "0-2", "backwards"),
    ("*/0 * * * *", "0", None, "never ends"),
    ("*/x * * * *", "x", None, "not a number"),
    ("*/-5 * * * *", "-5", None, "not a number"),
    ("/5 * * * *", "", "*", "step without a range"),
    ("5- * * * *", "", None, "lacks an end"),
    ("1-2-3 * * * *", "1-2-3", None, "not one minute range"),
    ("0 0 * * Monday", "Monday", "MON", "MON"),
    ("0 0 * * mon-thursday", "thursday", "THU", "THU"),
    ("0 0 * Sept *", "Sept", "SEP", "SEP"),
    ("0 0 * MON *", "MON", None, "day of week"),
    ("0 0 L * *", "L", None, "L (the last)"),
    ("0 0 LW * *", "LW", None, "L (the last)"),
    ("0 0 15W * *", "15W", None, "W (the nearest weekday)"),
    ("0 0 * * MON#1", "MON#1", None, "# (the nth weekday)"),
    ("H/15 * * * *", "H/15", None, "H and R"),
    ("R * * * *", "R", None, "H and R"),
    ("09:30 * * * *", "09:30", None, "30 9"),
    ("+1 * * * *", "+1", "1", "digits only"),
    ("０ * * * *", "０", "0", "ASCII"),
    ("1–5 * * * *", "1–5", "1-5", "ASCII"),
    ("**/5 * * * *", "**/5", "*/5", "extra star"),
    ("@Daily", "@Daily", "0 0 * * *", "lower-case"),
    ("@every 1h", "@every 1h", None, "@every"),
    ("@reboot", "@reboot", None, "@reboot"),
    ("@daily 5", "@daily 5", None, "cannot be combined"),
    ('"0 0 * * *"', '"0 0 * * *"', "0 0 * * *", "quotes"),
    ("0\u00a00 * * *", "\u00a0", " ", "U+00A0"),
    ("\ufeff0 0 * * *", "\ufeff", " ", "U+FEFF"),
    ("cron_tz=UTC 1 * * * *", "cron_tz", "CRON_TZ", "CRON_TZ"),
    ("CRON-TZ=UTC 1 * * * *", "CRON-TZ", "CRON_TZ", "CRON_TZ"),
    ("Tz=UTC 1 * * * *", "Tz", "TZ", "TZ"),
    ("FOO=UTC 1 * * * *", "FOO", None, "CRON_TZ= or TZ="),
    (" TZ=UTC 1 * * * *", " ", "", "must come first"),
    ("1 * * * * TZ=UTC", "1 * * * * TZ=UTC", "TZ=UTC 1 * * * *", "must come first"),
    ("0 9 * * * Europe/Berlin", "0 9 * * * Europe/Berlin", "CRON_TZ=Europe/Berlin 0 9 * * *", "precedes the schedule"),
    ("0 9 * * * UTC", "0 9 * * * UTC", "CRON_TZ=UTC 0 9 * * *", "precedes the schedule"),
    ("0 9 * * * US/Eastern", "0 9 * * * US/Eastern", "CRON_TZ=US/Eastern 0 9 * * *", "precedes the schedule"),
    ("0 9 * * * europe/berlin", "0 9 * * * europe/berlin", "CRON_TZ=Europe/Berlin 0 9 * * *", "precedes the schedule"),
    ("TZ=UTC\t1 * * * *", "\t", " ", "write a space"),
    ("TZ=UTC\n1 * * * *", "\n", " ", "write a space"),
    ("TZ = UTC 1 * * * *", " = ", "=", "plain"),
    ("TZ= UTC 1 * * * *", "= ", "=", "plain"),
    ("TZ:UTC 1 * * * *", ":", "=", "plain"),
    ("TZ UTC 1 * * * *", " ", "=", "plain"),
    ("TZ= 1 * * * *", "", None, "empty"),
    ("TZ=", "", None, "empty"),
    ("TZ=UTC", "TZ=UTC", None, "without a schedule"),
    ("TZ='UTC' 1 * * * *", "'UTC'", "UTC", "quotes"),
    ("TZ=:UTC 1 * * * *", ":", "", "remove it"),
    ("TZ=UTC TZ=UTC 1 * * * *", "TZ=UTC", "", "second"),
    ("TZ=UTC CRON_TZ=GMT 1 * * * *", "CRON_TZ=GMT", None, "second"),
    ("TZ=America/New York 1 * * * *", "America/New York", "America/New_York", "spaces"),
]


@each_of(SYNTAX)
def test_what_is_no_schedule(text: str, at_fault: str, meant: str | None, word: str) -> None:
    reading = cron.parse(text)
    (problem,) = [problem for problem in reading.problems if problem.code == "syntax"]
    assert reading.cron is None
    assert (text[problem.start : problem.end], problem.replacement) == (at_fault, meant)
    assert word in problem.message


PLAIN_MEANING = [row for row in SYNTAX if row[2] is not None]


@each_of([row[0] for row in PLAIN_MEANING])
def test_what_was_meant_is_a_schedule(text: str) -> None:
    (problem,) = [problem for problem in cron.parse(text).problems if problem.code == "syntax"]
    rewritten = text[: problem.start] + (problem.replacement or "") + text[problem.end :]
    assert cron.parse(rewritten).cron is not None, rewritten


def test_all_problems_of_a_text_are_reported_in_order() -> None:
    text = "tz=Nowhere/City 61/0,5/15 24 0 13 FRI-MON"
    found = [(problem.code, text[problem.start : problem.end]) for problem in cron.parse(text).problems]
    wrong = ["tz", "61", "0", "24", "0", "13", "FRI-MON"]
    assert [where for code, where in found if code == "syntax"] == wrong
    assert ("portability", "5/15") in found


@each_of(
    [
        ("0 0 * * *", [{0}, {0}, set(range(1, 32)), set(range(1, 13)), set(range(7))]),
        ("*/15 0-6/3 1,15 JAN,mar MON-FRI", [{0, 15, 30, 45}, {0, 3, 6}, {1, 15}, {1, 3}, {1, 2, 3, 4, 5}]),
        ("00 007 08 09 SUN", [{0}, {7}, {8}, {9}, {0}]),
        ("5/15 0 1 2/5 5-7", [{5, 20, 35, 50}, {0}, {1}, {2, 7, 12}, {0, 5, 6}]),
        ("0 0 1 1 5/2", [{0}, {0}, {1}, {1}, {5}]),
        ("\t0  0\t* * 0\n", [{0}, {0}, set(range(1, 32)), set(range(1, 13)), {0}]),
    ],
)
def test_masks(text: str, masks: list[set[int]]) -> None:
    schedule = cron.parse(text).cron
    assert schedule is not None
    assert [{value for value in range(64) if mask >> value & 1} for mask in schedule.masks] == masks


@each_of(
    [
        ("0 0 1 * MON", True),
        ("0 0 1 * *", False),
        ("0 0 * * MON", False),
        ("0 0 */2 * MON", True),
        ("0 0 */1 * MON", False),
        ("0 0 1-31 * MON", True),
        ("0 0 *,5 * MON", False),
        ("0 0 ? * MON", False),
    ],
)
def test_either_day_is_enough_where_both_are_restricted(text: str, either: bool) -> None:
    schedule = cron.parse(text).cron
    assert schedule is not None
    assert schedule.either_day is either


def test_the_fields_of_a_macro_share_its_place() -> None:
    schedule = cron.parse("CRON_TZ=UTC @weekly").cron
    assert schedule is not None
    assert [(field.text, field.start, field.end) for field in schedule.fields] == [(t, 12, 19) for t in "00**0"]


def test_the_zone_stands_where_its_token_says() -> None:
    text = "CRON_TZ=Nowhere/City 99 * * * *"
    token = cron.parse(text).zone_token
    assert token is not None
    assert text[token.start : token.end] == token.text == "Nowhere/City"


def test_a_zone_name_with_a_blank_is_one_mistake() -> None:
    assert cron.parse("TZ=America/New York 1 * * * *").zone_token is None


ANY_TEXT = st.one_of(
    st.text(max_size=60),
    st.text(alphabet="0123456789*/,-?LW#HR@ \t\n=:_'\"TZCRONMSUFI", max_size=40),
    st.lists(st.text(alphabet="01257*/,-?MONSUN", max_size=6), min_size=5, max_size=5).map(" ".join),
)


@given(ANY_TEXT)
def test_no_text_raises_and_every_problem_stands_in_it(text: str) -> None:
    reading = cron.parse(text)
    assert all(0 <= problem.start <= problem.end <= len(text) for problem in reading.problems)
    assert (reading.cron is None) == any(problem.code == "syntax" for problem in reading.problems)


@each_of(["9" * 6000 + " * * * *", "*/" + "9" * 6000 + " * * * *", "," * 5000, "T" * 5000])
def test_long_texts_are_read(text: str) -> None:
    assert cron.parse(text).problems


def test_of_very_many_mistakes_the_first_are_told() -> None:
    found = cron.parse("CRON_TZ= " * 1000)
    assert found.cron is None
    assert len(found.problems) == MAX_PROBLEMS


def test_a_mistake_is_not_lost_among_remarks() -> None:
    found = cron.parse(f"{'5/10,' * 300}99 3 * * *")
    assert [problem.message for problem in found.problems if problem.code == "syntax"]
    assert found.cron is None
