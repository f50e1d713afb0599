"""`trialrun report`: one file, the same every time, whatever the state of the workspace, of which nothing is lost."""

import base64
import hashlib
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cli.example_workspace import EXAMPLE, NOON, copied
from tests.page.conftest import ExamplePage, copied_stores, write_page
from tests.program import Run, view
from trialrun.page.html import PackedSection, content_security_policy, page_html

KILOBYTE = 1000
MAX_EXAMPLE_SIZE = 300 * KILOBYTE
FEW_SESSIONS = ("--sessions", "5")
TWO_STORES = ("--stores", "miami-calle-ocho", "--stores", "chicago-wicker-park", "--sessions", "50")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return copied(tmp_path / "shop")


def written(run: Run, folder: Path, *arguments: str) -> str:
    ran = run("report", *NOON, *FEW_SESSIONS, *arguments, cwd=folder)
    assert ran.code == 0, ran.err
    return (folder / "trialrun-report.html").read_text(encoding="utf-8")


def sections(page: str) -> dict[str, Any]:
    """The sections of a page, unpacked as its script does."""
    found = re.findall(r'<script type="application/json" id="data-([a-z]+)">(.*?)</script>', page, re.DOTALL)
    return {name: unpacked(json.loads(text)) for name, text in found}


def unpacked(packed: dict[str, Any]) -> Any:
    entries: list[Any] = []

    def opened(value: Any) -> Any:
        if isinstance(value, list):
            return [opened(item) for item in value]
        if isinstance(value, dict):
            return {key: opened(item) for key, item in value.items()}
        if isinstance(value, str) and value.startswith("$"):
            return value[1:] if value.startswith("$$") else entries[int(value[1:])]
        return value

    entries.extend(opened(entry) for entry in packed["table"])
    return opened(packed["root"])


def test_it_writes_one_file_that_loads_nothing(example_page: ExamplePage) -> None:
    page = example_page(*FEW_SESSIONS)
    assert page.startswith("<!doctype html>\n<!-- trialrun report -->\n")
    assert not re.search(r"<(link|img|iframe|object|embed|base|form)\b", page)
    assert re.findall(r"\b(?:src|srcset|action)=", page.partition("<script>")[0]) == []


def test_its_policy_allows_its_own_style_and_script_alone(example_page: ExamplePage) -> None:
    page = example_page(*FEW_SESSIONS)
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    assert dict(rule.split(" ", 1) for rule in policy[1].split("; ")) == {
        "default-src": "'none'",
        "style-src": hash_of(page, "style"),
        "script-src": hash_of(page, "script"),
        "base-uri": "'none'",
        "form-action": "'none'",
    }


def hash_of(page: str, tag: str) -> str:
    (text,) = re.findall(f"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@pytest.mark.exhaustive
def test_the_same_workspace_and_time_give_the_same_bytes(tmp_path: Path, stores_page: ExamplePage) -> None:
    assert write_page(copied_stores(tmp_path / "shop"), *TWO_STORES) == stores_page(*TWO_STORES)


@pytest.mark.exhaustive
def test_the_whole_example_gives_the_same_bytes(run: Run, workspace: Path, example_page: ExamplePage) -> None:
    assert written(run, workspace) == example_page(*FEW_SESSIONS)


@pytest.mark.exhaustive
def test_the_file_of_the_example_workspace_is_small(run: Run, tmp_path: Path) -> None:
    ran = run("report", *NOON, "-o", str(tmp_path / "page.html"), cwd=EXAMPLE)
    assert ran.code == 0, ran.err
    assert (tmp_path / "page.html").stat().st_size <= MAX_EXAMPLE_SIZE


def test_standard_output_is_a_file_too(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(view())
    ran = run("report", *NOON, *FEW_SESSIONS, "-o", "-", cwd=tmp_path)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == written(run, tmp_path)


def test_it_writes_over_a_page_and_over_nothing_else(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(view())
    written(run, tmp_path)
    written(run, tmp_path)
    file = tmp_path / "trialrun-report.html"
    file.write_text("<!doctype html>\n<p>mine</p>\n")
    ran = run("report", *NOON, cwd=tmp_path)
    assert (ran.code, "is not a trialrun report" in ran.err) == (2, True)
    assert "mine" in file.read_text()
    assert written(run, tmp_path, "--force").startswith("<!doctype html>\n<!-- trialrun report -->")


@pytest.mark.parametrize("file", ["missing/page.html", "channels", "brand/brand.yaml"])
def test_a_file_that_cannot_be_written_is_wrong_usage(run: Run, tmp_path: Path, file: str) -> None:
    for folder in ("brand", "channels"):
        (tmp_path / folder).mkdir()
    (tmp_path / "brand" / "brand.yaml").write_text(view())
    ran = run("report", *NOON, "--sessions", "0", "-o", file, cwd=tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert file in ran.err


def test_a_store_that_does_not_exist_is_wrong_usage(run: Run, workspace: Path) -> None:
    ran = run("report", *NOON, "--stores", "austin-lamra", cwd=workspace)
    assert ran.code == 2
    assert 'did you mean "austin-lamar"?' in ran.err


def test_findings_do_not_change_the_exit_code(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(view("v", cron="0 25 * * *"))
    data = sections(written(run, tmp_path))
    assert data["overview"]["findings"]["severities"] == {"error": 1}
    assert [finding["rule"] for finding in data["findings"]["findings"]] == ["cron-syntax"]


@pytest.mark.parametrize("text", ["kind: [", "kind: FeatureView\nname: {{ name }}\n", "\0", ""])
def test_a_workspace_that_does_not_parse_still_gives_a_page(run: Run, tmp_path: Path, text: str) -> None:
    (tmp_path / "view.yaml").write_text(text)
    (tmp_path / "sound.yaml").write_text(view("sound"))
    data = sections(written(run, tmp_path))
    counts = {words: number for number, words, _ in data["overview"]["counts"]}
    assert counts.get("feature view", 0) + counts.get("feature views", 0) >= 1
    assert {entry["path"] for entry in data["findings"]["not_checked"]} <= {"view.yaml"}


def test_an_empty_folder_gives_a_page(run: Run, tmp_path: Path) -> None:
    assert sections(written(run, tmp_path))["findings"]["findings"] == []


HOSTILE = ("</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "\u202eevil\u2066", "<!-- <script>")


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_stay_inside_of_their_element(run: Run, tmp_path: Path, name: str) -> None:
    (tmp_path / "view.yaml").write_text(view("v") + f"labels: {{owner: {json.dumps(name)}}}\n", encoding="utf-8")
    page = written(run, tmp_path)
    assert name not in page
    assert [finding["rule"] for finding in sections(page)["findings"]["findings"]]
    assert page.count("</script>") == len(sections(page)) + 1


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="names of files are Unicode here")
def test_the_name_of_the_folder_may_be_any_bytes(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"w\xff\xe2\x80\xae<b>$title")
    folder.mkdir()
    (folder / "a.yaml").write_text(view())
    assert "<title>w\\udcff\\u202e&lt;b&gt;$title · trialrun</title>" in written(run, folder)


def test_a_frame_shows_the_lines_with_their_marks(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(view("v", cron="0 25 * * *"))
    (finding,) = sections(written(run, tmp_path))["findings"]["findings"]
    (frame,) = finding["frames"]
    marked = [(number, text[start:end]) for number, text, marks in frame["lines"] for start, end, _, _ in marks]
    assert marked == [(finding["line"], "25")]
    assert len(frame["lines"]) > 1


TEXTS = st.text() | st.sampled_from(["$", "$$", "$1", "$$1", "a text that is long"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner),
)


@pytest.mark.parametrize(("live", "mode"), [(False, "file"), (True, "live")])
def test_a_page_says_whether_a_server_answers_it(live: bool, mode: str) -> None:
    page = "".join(page_html("Acme & Sons", [], live=live))
    assert f'data-mode="{mode}"' in page
    assert "<title>Acme &amp; Sons" in page
    assert content_security_policy(live=live) in page


@given(JSON)
def test_what_was_packed_comes_back(value: Any) -> None:
    assert json.dumps(unpacked(json.loads("".join(PackedSection(value).embedded_json())))) == json.dumps(value)


def test_equal_parts_are_written_once() -> None:
    part = {"text": "a long text of a config", "line": 7, "column": 12}
    packed = PackedSection([part, dict(part), {"other": part}]).to_object()
    assert packed == {"table": [part], "root": ["$0", "$0", {"other": "$0"}]}


def test_a_list_may_give_its_items_one_by_one() -> None:
    items = [["a long text of a store", 1], ["a long text of a store", 2]]
    given = PackedSection({"stores": (item for item in items), "brands": []})
    assert given.to_object() == PackedSection({"stores": items, "brands": []}).to_object()


def test_one_is_not_true_and_not_a_fraction() -> None:
    rows = [[1, 1, 1, 1, 1, 1, 1, 1], [True] * 8, [1.0] * 8] * 2
    assert json.dumps(unpacked(PackedSection(rows).to_object())) == json.dumps(rows)


def test_nothing_in_it_ends_a_script() -> None:
    text = "".join(PackedSection(["</script>", "<!--", "&amp;", "\u2028\u202e"]).embedded_json())
    assert not set("<>&\u2028\u202e") & set(text)
    assert json.loads(text)["root"] == ["</script>", "<!--", "&amp;", "\u2028\u202e"]
