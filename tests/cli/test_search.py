"""`trialrun search`: what is near, for people and for programs."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from tests.cases import each_of
from tests.cli.example_workspace import VECTORS, synced, told
from tests.program import Run
from trialrun.cli.search import parse_filters
from trialrun.cli.views import format_entity_id, parse_entity_id
from trialrun.errors import UsageError
from trialrun.runtime.feature_view.column import Column
from trialrun.runtime.feature_view.index.interface import NumericFilter, StringFilter

SHAKE = ("menu_search", "--entity", "SW-412")


@pytest.fixture(scope="module")
def workspace(synced_example: Path) -> Path:
    return synced_example


@pytest.fixture
def neighbors(run: Run, workspace: Path) -> Any:
    """The names of the items that a search finds."""

    def named(*arguments: str) -> list[str]:
        found = told(run, "search", *arguments, "--full", cwd=workspace)["neighbors"]
        return [file["values"]["item_name"] for file in found]

    return named


def test_what_is_told(run: Run, workspace: Path, snapshot: SnapshotAssertion) -> None:
    assert (
        run("search", *SHAKE, "--count", "4", "--recall", cwd=workspace, COLUMNS="80").out.partition("assumed")[0]
        == snapshot
    )


def test_values_stand_beside_the_distance(run: Run, workspace: Path, snapshot: SnapshotAssertion) -> None:
    words = ("--filter", "category!=drinks", "--crowding", "1", "--count", "3", "--full")
    assert run("search", *SHAKE, *words, cwd=workspace, COLUMNS="80").out.partition("assumed")[0] == snapshot


def test_values_stand_below_where_the_line_is_short(run: Run, workspace: Path, snapshot: SnapshotAssertion) -> None:
    assert (
        run("search", *SHAKE, "--count", "2", "--full", cwd=workspace, COLUMNS="60").out.partition("assumed")[0]
        == snapshot
    )


def test_the_object(run: Run, workspace: Path) -> None:
    found = told(run, "search", *SHAKE, "--count", "2", cwd=workspace)
    assert [file.pop("distance") for file in found["neighbors"]] == pytest.approx([-1, -0.898783], abs=1e-5)
    view = f"{VECTORS}/menu_search"
    assert found == {"version": 1, "view": view, "neighbors": [{"id": ["SW-412"]}, {"id": ["SW-413"]}]}


def test_shakes_are_near_a_shake_but_for_filters_and_crowding(neighbors: Any) -> None:
    assert {name.rpartition(" ")[2] for name in neighbors(*SHAKE)} == {"Shake"}
    found = neighbors(*SHAKE, "--filter", "category=sweets,sides", "--filter", "daypart!=all-day", "--count", "50")
    assert {name.rpartition(" ")[2] for name in found} == {"Salad", "Poutine"}
    found = neighbors(*SHAKE, "--crowding", "1", "--count", "4")
    assert found[0] == "Chocolate Shake"
    assert len({name.rpartition(" ")[2] for name in found}) == 4


def test_no_results_and_the_recall_where_it_is_asked_for(run: Run, workspace: Path) -> None:
    ran = run("search", *SHAKE, "--filter", "category=none", cwd=workspace)
    assert (ran.code, ran.out.splitlines()[1]) == (0, "no results")
    found = told(run, "search", *SHAKE, "--count", "1", "--recall", "--full", cwd=workspace)
    (nearest,) = found["neighbors"]
    assert (found["recall"], nearest["values"]["item_name"]) == (1, "Chocolate Shake")
    assert len(nearest["values"]["embedding"]) == 768


def test_what_the_answer_rests_on_is_cited(run: Run, workspace: Path) -> None:
    cited = run("search", *SHAKE, "--crowding", "1", cwd=workspace, COLUMNS="200").out.splitlines()[-1]
    assert cited.startswith("assumed: ")
    assert {"search-itself", "search-crowding"} <= {*cited.removeprefix("assumed: ").split(", ")}


@pytest.mark.parametrize("of_a_file", [True, False])
def test_a_vector_is_searched_like_its_entity(run: Run, workspace: Path, tmp_path: Path, of_a_file: bool) -> None:
    shake = told(run, "fetch", "menu_search", "SW-412", cwd=workspace)["entities"][0]["values"]["embedding"]
    (tmp_path / "vector.json").write_text(json.dumps(shake))
    vector = f"@{tmp_path / 'vector.json'}" if of_a_file else json.dumps(shake)
    found = told(run, "search", "menu_search", "--vector", vector, cwd=workspace)
    assert found == told(run, "search", *SHAKE, cwd=workspace)


def test_a_view_without_an_index_is_told_at_its_name(run: Run, workspace: Path) -> None:
    ran = run("search", "guest_profile", "--entity", "g-00001", cwd=workspace)
    assert (ran.code, ran.out) == (1, "")
    assert "error[not-searchable]: the view has no indexConfig" in ran.err
    assert "--> feature-views/guest-profile.yaml:3:" in ran.err
    ran = run("search", "guest_profile", "--entity", "g-00001", "--output-format", "json", cwd=workspace)
    (error,) = json.loads(ran.out)["errors"]
    assert (ran.code, error["path"], error["line"]) == (1, "feature-views/guest-profile.yaml", 3)


@pytest.mark.parametrize(
    ("arguments", "says", "line"),
    [
        (["menu_search", "--vector", "[1, 2]"], "the vector has 2 elements but the index has dimension", 13),
        (["menu_search_exact", "--entity", "SW-412", "--crowding", "1"], "the index config has no", 36),
    ],
)
def test_what_does_not_go_with_the_index_config_is_told_there(
    run: Run, workspace: Path, arguments: list[str], says: str, line: int
) -> None:
    ran = run("search", *arguments, cwd=workspace)
    assert (ran.code, ran.out) == (1, "")
    assert says in ran.err
    assert f"--> feature-views/menu-search.yaml:{line}:" in ran.err


def test_another_index_config_asks_for_another_sync(run: Run, tmp_path: Path) -> None:
    folder = synced(tmp_path, "menu_search_exact")
    view = folder / "feature-views" / "menu-search.yaml"
    view.write_text(view.read_text().replace("DOT_PRODUCT_DISTANCE", "COSINE_DISTANCE"))
    ran = run("search", "menu_search_exact", "--entity", "SW-412")
    assert ran.code == 1
    assert "sync the view again" in ran.err
    assert "--> feature-views/menu-search.yaml:" in ran.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["menu_search"], "give exactly one of --entity and --vector"),
        ([*SHAKE, "--vector", "[1]"], "give exactly one of --entity and --vector"),
        (["menu_search", "--entity", "SW-0"], 'entity "SW-0" is not in the index'),
        (["menu_search", "--vector", "[NaN]"], "must be an array of numbers"),
        (["menu_search", "--vector", f"[1{'0' * 400}]"], "must be an array of numbers"),
        (["menu_search", "--vector", "1, 2"], "--vector: invalid JSON: "),
        (["menu_search", "--vector", "@none.json"], "--vector: none.json cannot be read: no such file or directory"),
        ([*SHAKE, "--filter", "categry=a"], '"categry" is not a filter column of the view; did you mean "category"?'),
        ([*SHAKE, "--filter", "item_name=a"], "the filter columns are category, daypart"),
        ([*SHAKE, "--count", "0"], "0 is not in the range x>=1"),
    ],
)
def test_a_wrong_question_is_told(run: Run, workspace: Path, arguments: list[str], says: str) -> None:
    ran = run("search", *arguments, cwd=workspace)
    assert ran.code == 2, ran.err
    assert (ran.out, says in ran.err) == ("", True), ran.err


def test_at_another_time_the_index_is_that_of_the_sync_of_then(run: Run, workspace: Path) -> None:
    words = ("search", *SHAKE, "--count", "3")
    then = run(*words, "--at", "2026-11-18", cwd=workspace)
    assert then.out.startswith("menu_search  near SW-412, of 335 entities; the scheduled sync of 2026-11-17T10:40:00Z")
    assert told(run, *words, "--at", "2026-11-18", cwd=workspace) == told(run, *words, cwd=workspace)


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


@pytest.mark.parametrize(("text", "meant"), (OF_TEXTS | OF_NUMBERS).items(), ids=OF_TEXTS | OF_NUMBERS)
def test_a_filter(text: str, meant: StringFilter | NumericFilter) -> None:
    is_text = text in OF_TEXTS
    assert parse_filters([text], COLUMNS) == (([meant], []) if is_text else ([], [meant]))


@pytest.mark.parametrize(("text", "told"), WRONG.items(), ids=WRONG)
def test_one_that_cannot_be_meant_is_told(text: str, told: str) -> None:
    with pytest.raises(UsageError, match="--filter") as raised:
        parse_filters([text], COLUMNS)
    assert told in str(raised.value)


def test_a_view_without_filter_columns_says_so() -> None:
    with pytest.raises(UsageError, match="the view has no filter columns"):
        parse_filters(["a=b"], ())


TEXT, NUMBER = Column("store", "STRING"), Column("lane", "INT64")
READ = [
    ("g-1", (TEXT,), ("g-1",)),
    ("a,b", (TEXT,), ("a,b",)),
    ("7", (TEXT,), ("7",)),
    ("7", (NUMBER,), (7,)),
    ("[7", (TEXT,), ("[7",)),
    ('["a"]', (TEXT,), ("a",)),
    ('["a", "b"]', (TEXT,), ('["a", "b"]',)),
    ("a,7", (TEXT, NUMBER), ("a", 7)),
    ('["a", 7]', (TEXT, NUMBER), ("a", 7)),
    ('["a", "7"]', (TEXT, NUMBER), ("a", 7)),
    ('["a,b", 7]', (TEXT, NUMBER), ("a,b", 7)),
]
WRONG_IDS = [
    ("x", (NUMBER,), "lane"),
    ("a", (TEXT, NUMBER), "it has 1 value, not 2: store (STRING), lane (INT64)"),
    ("a,b,7", (TEXT, NUMBER), """it has 3 values, not 2: store (STRING), lane (INT64); write STORE,7"""),
    ("a,b", (TEXT, NUMBER), "lane"),
]


@each_of(READ)
def test_what_an_id_means(text: str, keys: tuple[Column, ...], meant: tuple[object, ...]) -> None:
    assert parse_entity_id(text, keys) == meant


@pytest.mark.parametrize(("text", "keys", "told"), WRONG_IDS)
def test_an_id_that_does_not_fit_is_told(text: str, keys: tuple[Column, ...], told: str) -> None:
    with pytest.raises(UsageError) as raised:
        parse_entity_id(text, keys)
    assert str(raised.value).startswith(f'"{text}" is not an entity id: ')
    assert told in str(raised.value)


@pytest.mark.parametrize("id", [("",), (" ",), ("a ",), ("", "a"), (" ", "b")])
def test_an_id_that_nobody_would_see_is_shown_in_quotes(id: tuple[str, ...]) -> None:
    assert format_entity_id(id) == json.dumps(list(id))


@given(st.lists(st.text(alphabet='a7, []"\\', max_size=5), min_size=1, max_size=3))
def test_an_id_as_it_is_shown_means_itself(values: list[str]) -> None:
    keys = tuple(Column(f"c{number}", "STRING") for number in range(len(values)))
    assert parse_entity_id(format_entity_id(values), keys) == tuple(values)
