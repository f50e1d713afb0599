"""`trialrun languages`: what customers of each language hear, for people and for programs."""

import json
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.program import Run

BURGERS = Path(__file__).parent.parent.parent / "fixtures" / "workspaces" / "burger-brand"


@pytest.mark.parametrize("columns", ["60", "120"])
def test_the_page_of_a_store(run: Run, snapshot: SnapshotAssertion, columns: str) -> None:
    ran = run("languages", "chicago-wicker-park", "--language", "de", cwd=BURGERS, COLUMNS=columns)
    assert (ran.code, ran.err) == (0, "")
    assert [line for line in ran.out.splitlines() if len(line) > int(columns)] == []
    assert ran.out == snapshot


def test_stores_that_say_the_same_are_shown_once(run: Run, tmp_path: Path) -> None:
    (tmp_path / "brand.yaml").write_text(
        "kind: Brand\nname: acme\ndefaults: [house]\nstores: [{name: a}, {name: b, tags: [city]}]\n"
        "bindings: [{rule: city, channelConfig: tone, stores: {tags: [city]}}]\n"
    )
    name = "projects/p/locations/l/brands/acme/channelConfigs"
    (tmp_path / "configs.yaml").write_text(
        f"kind: ChannelConfig\nname: {name}/house\ntype: AGENT_CUSTOMIZATION\n"
        "operationsConfig: {defaultLanguageCode: en, greetings: [{languageCode: en, greetingPhrases: [Hi]}]}\n"
        f"---\nkind: ChannelConfig\nname: {name}/tone\ntype: AGENT_CUSTOMIZATION\ntone: FRIENDLY\n"
    )
    assert run("languages").out == "a, b\n\n  en  English  default\n    greeting: Hi  configs.yaml:4\n"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["austin-lama"], 'there is no store "austin-lama"; did you mean "austin-lamar"?'),
        (["--language", "e n"], '--language: "e n" is not a language tag; write one such as en-US'),
    ],
)
def test_wrong_usage(run: Run, words: list[str], says: str) -> None:
    ran = run("languages", *words, cwd=BURGERS)
    assert (ran.code, ran.err) == (2, f"error: {says}\n")


def test_errors_of_the_documents_are_shown(run: Run, tmp_path: Path) -> None:
    (tmp_path / "brand.yaml").write_text("kind: Brand\nname: acme\nstores: [{name: a, timeZone: 3}]\n")
    ran = run("languages", "--output-format", "json")
    assert ran.code == 1
    assert [error["rule"] for error in json.loads(ran.out)["errors"]] == ["wrong-type"]
