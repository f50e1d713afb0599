"""What is wrong with a text, at which characters, and what was meant."""

from itertools import product

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
    ("“0 3 * * *”", "“0 3 * * *”", "0 3 * * *", "quotes around the schedule"),
    ("0 3 * * * 2030", "0 3 * * * 2030", None, "the last looks like a year"),
    ("0 3 * * ? *", "0 3 * * ? *", None, "the last looks like a year"),
    ("0 3 * * * root run", "0 3 * * * root run", None, '"root run" is no part of a schedule'),
    ("0 3 * * *  # every night", "0 3 * * *  # every night", "0 3 * * *", "a comment"),
    ("0 0 * * MON, FRI", "0 0 * * MON, FRI", "0 0 * * MON,FRI", "spaces"),
    ("0 1 * * MON Tue", "0 1 * * MON Tue", "0 1 * * MON,Tue", "commas separate names"),
    ("0 1 * * Monday Friday", "0 1 * * Monday Friday", None, "commas separate names"),
    ("0 1 * JAN-MAR OCT MON WED-FRI", "0 1 * JAN-MAR OCT MON WED-FRI", "0 1 * JAN-MAR,OCT MON,WED-FRI", "commas"),
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
    ("Europe/Berlin 0 9 * * *", "Europe/Berlin 0 9 * * *", "CRON_TZ=Europe/Berlin 0 9 * * *", "behind CRON_TZ="),
    ("UTC 0 9 * * *", "UTC 0 9 * * *", "CRON_TZ=UTC 0 9 * * *", "behind CRON_TZ="),
    ("TZ=UTC 0 9 * * * CET", "0 9 * * * CET", None, '"CET" is no part of a schedule'),
    ("root 0 9 * * *", "root 0 9 * * *", None, '"root" is no part of a schedule'),
    ("0 9 * * * root", "0 9 * * * root", None, '"root" is no part of a schedule'),
    ("0 9 * * * /bin/run", "0 9 * * * /bin/run", None, '"/bin/run" is no part of a schedule'),
    ("0 9 * * US/Eastern *", "0 9 * * US/Eastern *", None, "write minute, hour"),
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
    ]
)
def test_masks(text: str, masks: list[set[int]]) -> None:
    schedule = cron.parse(text).cron
    assert schedule is not None
    assert [{value for value in range(64) if mask >> value & 1} for mask in schedule.masks] == masks


@each_of(
    [
        ("0 0 1 * MON", True), ("0 0 1 * *", False), ("0 0 * * MON", False), ("0 0 */2 * MON", True),
        ("0 0 */1 * MON", False), ("0 0 1-31 * MON", True), ("0 0 *,5 * MON", False), ("0 0 ? * MON", False),
    ]
)  # fmt: skip
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


@each_of(["9" * 6000 + " * * * *", "*/" + "9" * 6000 + " * * * *", "," * 5000, "T" * 5000, "x" + " " * 10**5 + "x"])
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


PORTABILITY = [
    ("5/15 * * * *", "5/15", "5-59/15"),
    ("05/15 * * * *", "05/15", "05-59/15"),
    ("50/15 * * * *", "50/15", "50"),
    ("5/1 * * * *", "5/1", "5-59"),
    ("0 0 * FEB/3 *", "FEB/3", "FEB-DEC/3"),
    ("0 0 * * 7", "7", "0"),
    ("0 0 * * 07", "07", "0"),
    ("0 0 * * 5-7", "5-7", "5-6,0"),
    ("0 0 * * 6-7", "6-7", "6,0"),
    ("0 0 * * 0-7", "0-7", "0-6"),
    ("0 0 * * 1-7", "1-7", "1-6,0"),
    ("0 0 * * 1-7/3", "1-7/3", "1,4,0"),
    ("0 0 * * MON-7", "MON-7", "MON-SAT,SUN"),
    ("0 0 ? * *", "?", "*"),
    ("? * * * *", "?", "*"),
    ("0 0 ?/2 * *", "?/2", "*/2"),
    ("*/60 * * * *", "*/60", "0"),
    ("0 */24 * * *", "*/24", "0"),
    ("0 0 * */12 *", "*/12", "1"),
    ("10-20/60 * * * *", "10-20/60", "10"),
    ("@daily", "@daily", "0 0 * * *"),
    ("@annually", "@annually", "0 0 1 1 *"),
    ("0 0 */2 * MON", "*/2", "1-31/2"),
    ("0 0 1 * */2", "*/2", "0-6/2"),
    ("0 0 1,* * MON", "1,*", "*"),
    ("0 0 29 2 */7", "*/7", "0"),
    ("0 0 */1 * 1-5", "*/1", "*"),
    ("0 0 13 * */1", "*/1", "*"),
    ("0 0 */31 * 1", "*/31", "1"),
    ("0 0 1-31 * */7", "*/7", "0"),
    ("9-9 0 * * *", "9-9", "9"),
    ("2-2/15 0 * * *", "2-2/15", "2"),
    ("0-0/70 0 * * *", "0-0/70", "0"),
    ("0 0 1 SEP-sep *", "SEP-sep", "SEP"),
    ("0 0 * * 7-7", "7-7", "0"),
    ("8-12,12-16 0 * * *", "8-12,12-16", "8-16"),
    ("5,5 0 * * *", "5,5", "5"),
    ("0 1-5,0-23 * * *", "1-5,0-23", "0-23"),
    ("*/30,0,10 0 * * *", "*/30,0,10", "0,10,30"),
    ("0 0 * * MON-WED,tue-FRI", "MON-WED,tue-FRI", "MON-FRI"),
    ("0 0 * * 0,7", "0,7", "0"),
    ("0 0 *,3 * *", "*,3", "*"),
]
UNSAFE_FORMS = {
    "0 0 */1 * 1-5", "0 0 13 * */1", "0 0 */31 * 1", "0 0 1-31 * */7", "0 0 29 2 */7", "9-9 0 * * *", "2-2/15 0 * * *",
    "0-0/70 0 * * *", "0 0 1 SEP-sep *", "0 0 * * 7-7", "0 0 *,3 * *", "0 0 1,* * MON",
}  # fmt: skip


@each_of(PORTABILITY)
def test_forms_on_which_schedulers_disagree(text: str, token: str, plain: str) -> None:
    (problem,) = cron.parse(text).problems
    assert (problem.code, text[problem.start : problem.end], problem.replacement) == ("portability", token, plain)
    assert _rewritten_means_the_same(text)


@each_of(PORTABILITY)
def test_a_fix_is_safe_unless_a_scheduler_has_other_runs_then(text: str, *_: str) -> None:
    (problem,) = cron.parse(text).problems
    assert problem.is_safe == (text not in UNSAFE_FORMS)


@each_of([("0 0 */31 * 1", ("and", "or")), ("0 0 */1 * MON", ("and", "or")), ("0 0 *,3 * *", ("without the star",))])
def test_advice_says_how_schedulers_differ(text: str, words: tuple[str, ...]) -> None:
    (problem,) = cron.parse(text).problems
    assert all(word in problem.message for word in words)


ITEMS = (
    "*", "?", "7", "5/2", "7/2", "1-7/2", "0-7", "3-7", "*/2", "*/3", "?/3", "*/40", "2-5/40", "1,*", "*/2,5",
    "MON-7/2",
)  # fmt: skip


@each_of(product(ITEMS[:-1], ITEMS))
def test_a_rewriting_means_the_same_days(date: str, weekday: str) -> None:
    if cron.parse(text := f"0 0 {date.replace('0-', '1-')} * {weekday}").cron:
        assert _rewritten_means_the_same(text)


def _field(first: int, highest: int) -> st.SearchStrategy[str]:
    value = st.integers(first, highest).map(str)
    step = st.integers(1, highest + 5)
    item = st.one_of(
        value,
        st.builds("{}/{}".format, value, step),
        st.builds("*/{}".format, step),
        st.builds("?/{}".format, step),
        st.builds("{}-{}/{}".format, value, st.just(highest), step),
    )
    return st.one_of(st.sampled_from("*?"), st.lists(item, min_size=1, max_size=3).map(",".join))


@given(st.tuples(_field(0, 59), _field(0, 23), _field(1, 31), _field(1, 12), _field(0, 7)).map(" ".join))
def test_any_rewriting_means_the_same_runs(text: str) -> None:
    assert _rewritten_means_the_same(text)


def _rewritten_means_the_same(text: str) -> bool:
    """Every replacement by itself leaves the masks and the rule for days as they are."""
    before = cron.parse(text)
    assert before.cron is not None, before.problems
    for problem in before.problems:
        if problem.code == "portability" and problem.replacement is not None:
            after = cron.parse(text[: problem.start] + problem.replacement + text[problem.end :]).cron
            assert after is not None, problem
            assert (after.masks, after.either_day) == (before.cron.masks, before.cron.either_day), problem
    return True


@each_of(
    [
        ("0 0 * * MON-FRI", []), ("*/5 0-12/4 1,15 */3 *", []), ("* * * * *", []), ("* 9-17 * * *", []),
        ("0-59 * * * *", []), ("0 0 13 * FRI", ["day-or-weekday"]), ("0 0 1 * 0-6", ["day-or-weekday"]),
        ("0 0 4,*/2 * 1", ["day-or-weekday", "uneven-step"]), ("*/7 * * * *", ["uneven-step"]),
        ("0-59/7 * * * *", ["uneven-step"]), ("0 */5 * * *", ["uneven-step"]), ("0 0 */2 * *", ["uneven-step"]),
        ("0 0 1 */5 *", ["uneven-step"]), ("0 0 * * */2", ["uneven-step"]), ("3-50/7 * * * *", []),
        ("* 3 * * *", ["minute-star-with-hour"]), ("* 3,15 * * *", ["minute-star-with-hour"]),
        ("0-59 3 * * *", ["minute-star-with-hour"]), ("* */2 * * *", ["minute-star-with-hour"]),
    ]
)  # fmt: skip
def test_advice(text: str, codes: list[str]) -> None:
    assert [problem.code for problem in cron.parse(text).problems] == codes
