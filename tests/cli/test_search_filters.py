"""Filters as a command line has them."""

from __future__ import annotations

import pytest

from trialrun.cli.search import parse_filters
from trialrun.errors import UsageError
from trialrun.runtime.feature_view.column import Column
from trialrun.runtime.feature_view.index.interface import NumericFilter, StringFilter

COLUMNS = (
    Column("category", "STRING"),
    Column("tags", "STRING", repeated=True),
    Column("price", "DOUBLE"),
    Column("family", "INT64"),
    Column("a<b", "STRING"),
    Column("sold", "BOOL"),
    Column("sizes", "INT64", repeated=True),
)

OF_TEXTS = {
    "category=burgers": StringFilter("category", allow=("burgers",)),
    "category == burgers": StringFilter("category", allow=("burgers",)),
    "category=burgers, sides": StringFilter("category", allow=("burgers", "sides")),
    "category!=burgers": StringFilter("category", deny=("burgers",)),
    'category="salt, pepper",sides': StringFilter("category", allow=("salt, pepper", "sides")),
    r'category="say \"cheese\""': StringFilter("category", allow=('say "cheese"',)),
    'category=""': StringFilter("category", allow=("",)),
    "category=a=b": StringFilter("category", allow=("a=b",)),
    'tags=","': StringFilter("tags", allow=(",",)),
    '"a<b"=x': StringFilter("a<b", allow=("x",)),
}
OF_NUMBERS = {
    "price<5": NumericFilter("price", "LESS", 5),
    "price <= 5.25": NumericFilter("price", "LESS_EQUAL", 5.25),
    "price>-1e3": NumericFilter("price", "GREATER", -1000.0),
    "family>=3": NumericFilter("family", "GREATER_EQUAL", 3),
    "family=9007199254740993": NumericFilter("family", "EQUAL", 9007199254740993),
    "family==3": NumericFilter("family", "EQUAL", 3),
    "family!=3": NumericFilter("family", "NOT_EQUAL", 3),
}
WRONG = {
    "categry=x": '"categry" is not a filter column of the view; did you mean "category"?',
    "zzz=x": '"zzz" is not a filter column of the view; the filter columns are category, tags, price',
    "category": "it has no comparison; write COLUMN=TOKEN,TOKEN",
    "category<x": "category is text; compare it with = or !=",
    "category=": 'empty token; write "" for the empty text',
    "category=a,": 'empty token; write "" for the empty text',
    'category="a': "unmatched quote",
    'category=a"b"': "unmatched quote",
    'category="\\x"': "is quoted wrongly",
    "price<cheap": 'price is DOUBLE and "cheap" is not a number',
    "price=nan": 'price is DOUBLE and "nan" is not a number',
    "family=1_000": 'family is INT64 and "1_000" is not a number',
    "sold=true": "sold is BOOL, which cannot be filtered",
    "sizes=1": "sizes is INT64 REPEATED, which cannot be filtered",
}


@pytest.mark.parametrize(("text", "meant"), OF_TEXTS.items(), ids=OF_TEXTS)
def test_a_filter_of_texts(text: str, meant: StringFilter) -> None:
    assert parse_filters([text], COLUMNS) == ([meant], [])


@pytest.mark.parametrize(("text", "meant"), OF_NUMBERS.items(), ids=OF_NUMBERS)
def test_a_filter_of_numbers(text: str, meant: NumericFilter) -> None:
    assert parse_filters([text], COLUMNS) == ([], [meant])


@pytest.mark.parametrize(("text", "told"), WRONG.items(), ids=WRONG)
def test_one_that_cannot_be_meant_is_told(text: str, told: str) -> None:
    with pytest.raises(UsageError, match="--filter") as raised:
        parse_filters([text], COLUMNS)
    assert told in str(raised.value)


def test_a_view_without_filter_columns_says_so() -> None:
    with pytest.raises(UsageError, match="the view has no filter columns"):
        parse_filters(["a=b"], ())
