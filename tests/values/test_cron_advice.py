"""What is worth saying about schedules that run."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_of
from trialrun.values import cron

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
    "0 0 */1 * 1-5",
    "0 0 13 * */1",
    "0 0 */31 * 1",
    "0 0 1-31 * */7",
    "0 0 29 2 */7",
    "9-9 0 * * *",
    "2-2/15 0 * * *",
    "0-0/70 0 * * *",
    "0 0 1 SEP-sep *",
    "0 0 * * 7-7",
    "0 0 *,3 * *",
    "0 0 1,* * MON",
}


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
    "*",
    "?",
    "7",
    "5/2",
    "7/2",
    "1-7/2",
    "0-7",
    "3-7",
    "*/2",
    "*/3",
    "?/3",
    "*/40",
    "2-5/40",
    "1,*",
    "*/2,5",
    "MON-7/2",
)


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
        ("0 0 * * MON-FRI", []),
        ("*/5 0-12/4 1,15 */3 *", []),
        ("* * * * *", []),
        ("* 9-17 * * *", []),
        ("0-59 * * * *", []),
        ("0 0 13 * FRI", ["day-or-weekday"]),
        ("0 0 1 * 0-6", ["day-or-weekday"]),
        ("0 0 4,*/2 * 1", ["day-or-weekday", "uneven-step"]),
        ("*/7 * * * *", ["uneven-step"]),
        ("0-59/7 * * * *", ["uneven-step"]),
        ("0 */5 * * *", ["uneven-step"]),
        ("0 0 */2 * *", ["uneven-step"]),
        ("0 0 1 */5 *", ["uneven-step"]),
        ("0 0 * * */2", ["uneven-step"]),
        ("3-50/7 * * * *", []),
        ("* 3 * * *", ["minute-star-with-hour"]),
        ("* 3,15 * * *", ["minute-star-with-hour"]),
        ("0-59 3 * * *", ["minute-star-with-hour"]),
        ("* */2 * * *", ["minute-star-with-hour"]),
    ],
)
def test_advice(text: str, codes: list[str]) -> None:
    assert [problem.code for problem in cron.parse(text).problems] == codes
