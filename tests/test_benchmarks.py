"""What the benchmarks measure: a corpus that is the same for a seed, hostile files, and mistakes that rules find."""

import hashlib
import json
import os
import sys
from collections.abc import Callable, Iterator
from itertools import count, product
from pathlib import Path
from typing import Any

import pytest
import yaml
from ruamel.yaml import YAML

sys.path.insert(0, str(Path(__file__).parent.parent))  # benchmarks/ is no part of the installed package

from benchmarks.brands import brand
from benchmarks.cli import combined
from benchmarks.configs import channel_config, conditions
from benchmarks.corpus import Written, corpus, write
from benchmarks.hostile import SORTS
from benchmarks.hostile_pages import Case
from benchmarks.measure import Command, run
from benchmarks.mistakes import CONFIG_MISTAKES, VIEW_MISTAKES, DoesNotApply, Mistake
from benchmarks.random_source import Dice
from benchmarks.views import Resource, feature_view
from benchmarks.yaml_writer import Hand, a_hand, document
from tests.cases import each_of, number_of_cases
from trialrun.diagnostic import Severity
from trialrun.lint.engine import Linter
from trialrun.lint.examples import EXAMPLE_TIME
from trialrun.lint.rule import session_types
from trialrun.lint.settings import Profiles, Settings

FILES = 40
FIRST_BYTES = "fe534b515113d178f6dac3fb488b06d40c59fd584ccd903b9c71c7661d6d3f06"


@pytest.fixture(scope="module")
def files() -> list[Written]:
    return list(corpus(FILES, seed=1))


def resources(value: Any) -> Iterator[dict[str, Any]]:
    yield from (value if isinstance(value, list) else [value])


def yaml_documents(content: bytes) -> list[Any]:
    return list(YAML(typ="safe", pure=True).load_all(content.decode("utf-8-sig")))


def test_the_bytes_of_a_seed_never_change(files: list[Written]) -> None:
    assert hashlib.sha256(b"".join(file.content for file in files)).hexdigest() == FIRST_BYTES


def test_another_seed_is_another_corpus(files: list[Written]) -> None:
    assert next(corpus(1, seed=2)).content != files[0].content


def test_a_file_does_not_depend_on_how_many_there_are(files: list[Written]) -> None:
    assert list(corpus(3, seed=1)) == files[:3]


@pytest.mark.exhaustive
def test_yaml_and_json_hold_the_same_values(files: list[Written]) -> None:
    compared = files[: number_of_cases(FILES, 4)]
    as_json = corpus(len(compared), seed=1, as_json=True)
    for file, other in [(file, other) for file, other in zip(compared, as_json, strict=True) if not file.rules]:
        ours = [resource for yaml_document in yaml_documents(file.content) for resource in resources(yaml_document)]
        assert ours == list(resources(json.loads(other.content))), file.path


def test_names_are_unique() -> None:
    contents = (json.loads(file.content) for file in corpus(100, seed=1, as_json=True))
    names = [resource["name"] for content in contents for resource in resources(content)]
    assert len(names) == len(set(names))


def test_about_one_file_in_twenty_is_spoiled() -> None:
    spoiled = [file for file in corpus(300, seed=1, as_json=True) if file.rules]
    assert 5 <= len(spoiled) <= 30
    assert all(1 <= len(file.rules) <= 3 for file in spoiled)


def test_conditions_are_different() -> None:
    assert len(set(conditions())) == 500


def test_files_are_written_where_they_say(tmp_path: Path, files: list[Written]) -> None:
    written = write(tmp_path, iter(files[:5]))
    assert [(tmp_path / file.path).read_bytes() for file in written] == [file.content for file in files[:5]]


@each_of(
    product(
        [
            {"a": "no", "on": "on", "n": "~"},
            {"a": "0 4 * * *", "b": "*/5 * * * *", "c": "CRON_TZ=Asia/Tokyo 0,30 4 * * *"},
            {"a": "x: y", "b": "x #y", "c": "x:", "d": " x", "e": "x ", "f": "", "g": "- x", "h": "it's", "i": '"'},
            {"a": "2026-01-01", "b": "12:30", "c": "0123", "d": "1_000", "e": "1e3", "f": ".5"},
            {"a": "one\ntwo", "b": "one\ntwo\n", "c": "w " * 60 + "w", "d": "x" * 90, "e": "word-" * 30},
            {"a": [], "b": {}, "c": [[]], "d": [{}], "e": [{"f": {}}, {"f": {}, "g": 1}, {"f": {}, "g": [1, 2]}]},
            {"a": True, "b": 1, "c": 0.5, "d": None, "e": -3},
            [{"a": "x", "b": ["y"]}, {"a": "x", "b": ["z"], "c": 1}, {"a": "w", "b": ["y"]}],
        ],
        range(6),
    )
)
def test_what_is_written_reads_back(value: Any, seed: int) -> None:
    text = document(value, a_hand(Dice(str(seed)), merge=seed % 2 == 0))
    assert yaml_documents(text.encode()) == [value]
    assert list(yaml.safe_load_all(text)) == [value]  # YAML 1.1, too: nothing ambiguous is left bare


def test_merge_keys_are_written() -> None:
    text = document([{"a": "x", "b": "y"}, {"a": "x", "b": "z"}], Hand(Dice("0"), flow=0.0, merge=True))
    assert "- &shared_1\n" in text
    assert "- <<: *shared_1\n" in text


def test_a_run_is_measured(tmp_path: Path) -> None:
    script = "import sys; list(range(10**6)); sys.exit(1)"
    done = run(Command((sys.executable, "-c", script), tmp_path, {}), watch_memory=True)
    assert done.exit == 1
    assert done.cpu > 0
    assert done.peak > 5


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="only /proc shows the memory of a tree")
def test_the_memory_of_children_is_added(tmp_path: Path) -> None:
    hold = "import subprocess, sys, time; held = b'x' * 40_000_000; "
    child = hold + "time.sleep(0.5)"
    script = f"{hold} subprocess.run([sys.executable, '-c', {child!r}])"
    done = run(Command((sys.executable, "-c", script), tmp_path, {}), watch_memory=True)
    assert done.peak > 80_000_000 / 2**20


def test_the_combined_schema_takes_both_kinds_and_lists() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    part = {"$ref": "#/$defs/part"}
    one = {
        "properties": {"name": {}, "part": part},
        "additionalProperties": False,
        "$defs": {"part": {"type": "integer"}},
    }
    other = {
        "properties": {"name": {}, "part": part},
        "additionalProperties": False,
        "$defs": {"part": {"type": "string"}},
    }
    schema = jsonschema.Draft202012Validator(combined({"FeatureView": one, "ChannelConfig": other}))
    assert schema.is_valid({"name": "p/featureOnlineStores/s/featureViews/v", "part": 1})
    assert not schema.is_valid({"name": "p/featureOnlineStores/s/featureViews/v", "part": "x"})
    assert schema.is_valid([{"name": "p/channelConfigs/c", "part": "x"}])
    assert not schema.is_valid([{"name": "p/channelConfigs/c", "part": "x"}, {"name": "p/channelConfigs/d", "part": 1}])


@pytest.mark.exhaustive
def test_a_brand_has_its_configs_and_nothing_to_find(tmp_path: Path) -> None:
    written = write(tmp_path, brand(20, 60, seed=1))
    check = Command(
        (sys.executable, "-m", "trialrun", "check", "--no-cache", "--fail-on", "warning", "."), tmp_path, os.environ
    )
    assert [file.path for file in written if file.path.startswith("brand/")] == ["brand/brand.yaml", "brand/menu.yaml"]
    assert len(written) == 22
    assert run(check).exit == 0


def test_the_bytes_of_a_brand_depend_on_its_seed_alone() -> None:
    contents = [b"".join(file.content for file in brand(12, 40, seed=seed)) for seed in (1, 1, 2)]
    assert contents[0] == contents[1] != contents[2]


# ---- hostile files

HAND_MADE = [case for sort in ("texts", "workspaces") for case in SORTS[sort]()]


def length(case: Case, size: int) -> int:
    return sum(map(len, case.make(size).values()))


@each_of({case.name: case for case in HAND_MADE})
def test_a_file_grows_with_its_size(case: Case) -> None:
    assert length(case, 2000) > 1.5 * length(case, 1000)


def test_every_rule_and_every_list_and_text_of_the_models_has_files() -> None:
    names = {sort: [case.name for case in SORTS[sort]()] for sort in ("pages", "many", "long")}
    assert any(name.startswith("cron-syntax/") for name in names["pages"])
    assert "many Greetings.greetingPhrases equal" in names["many"]
    assert "long CelUpsell.conditionExpression .json" in names["long"]


# ---- seeded mistakes

Draw = Callable[..., Resource]


def spoiled(mistake: Mistake, draw: Draw) -> Resource:
    """The first drawn resource with a place for a mistake, which is made in it."""
    for number in count():
        resource = draw(Dice(f"mistake/{number}"), number, lines=120)
        try:
            mistake.make(resource)
        except DoesNotApply:
            continue
        return resource
    raise AssertionError


CASES = [
    pytest.param(mistake, draw, id=f"{mistake.rule} {draw.__name__} {number}")
    for mistakes, draw in ((VIEW_MISTAKES, feature_view), (CONFIG_MISTAKES, channel_config))
    for number, mistake in enumerate(mistakes)
    if not mistake.yaml_only
]


@each_of(CASES)
def test_a_seeded_mistake_is_found_by_its_rule_alone(mistake: Mistake, draw: Draw) -> None:
    linter = Linter(Profiles(Settings()).whole, now=EXAMPLE_TIME, session_types=lambda: session_types([]))
    text = json.dumps(spoiled(mistake, draw), ensure_ascii=False, indent=2)
    found = linter.lint(text.encode(), "file.json", is_explicit=True).diagnostics
    assert {file.rule for file in found if file.severity is not Severity.NOTE} == {mistake.rule}
