"""Comments for all findings of a file: each covers its finding, and the values stay."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path

import pytest

from tests.cases import some_of
from tests.lint.suppressed import silenced
from trialrun.lint.suppression.add_ignores import CommentedFile, add_ignore, add_ignores
from trialrun.lint.suppression.suppression import REASON_PLACEHOLDER, ignore_comment
from trialrun.parser import parse
from trialrun.parser.decode import encode

FIXTURES = Path(__file__).parent.parent.parent / "fixtures"
FILES = sorted(path for path in FIXTURES.rglob("*.yaml") if path.parent.name != "valid")
UNREAD = {"syntax-error", "resource-limit"}
VIEW = """\
kind: FeatureView
name: projects/p/locations/l/featureOnlineStores/s/featureViews/v
syncConfig:
  cron: 0 25 * * *
warehouseSource: {uri: bq://a, entityIdColums: [], entityIdColumns: [i, i]}
"""


def commented(text: str | bytes) -> CommentedFile:
    data = text if isinstance(text, bytes) else text.encode()
    found = [each for each in silenced(data).kept if each.rule != "expired-suppression"]
    return add_ignores(parse(data, "file.yaml"), found, lambda rules: ignore_comment(rules, "ok"))


def test_one_comment_for_a_line() -> None:
    done = commented(VIEW)
    assert done.left == ()
    assert done.source.text == VIEW.replace("* * *\n", "* * *  # trialrun: ignore[cron-syntax] ok\n").replace(
        "warehouse", "# trialrun: ignore[unknown-field, duplicate-item] ok\nwarehouse"
    )


@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
def test_line_breaks_stay(line_break: str) -> None:
    text = VIEW.replace("\n", line_break).replace("0 25 * * *", '"0 25 * * *"' + " " * 120)
    after = commented(text).source.text
    assert after.count("\n") == after.count(line_break) == VIEW.count("\n") + 1


def test_no_comment_inside_of_one_for_the_same_rule() -> None:
    text = """\
kind: ChannelConfig
name: projects/p/locations/l/brands/b/channelConfigs/c
type: UPSELL_STRATEGY
operations_config:
  upsell_strategy:
    max_upsell_offers: 1
supplemental_instructions: {freeformInstructions: Be brief.}
"""
    comment = "  # trialrun: ignore[non-canonical-form] ok\n"
    assert commented(text).source.text == text.replace("config:\n", f"config:{comment}").replace(
        "brief.}\n", f"brief.}}{comment}"
    )


def test_a_comment_joins_those_that_are_there() -> None:
    text = VIEW.replace("0 25 * * *", "0 25 * * *  # night  # trialrun: ignore[cron-dst] old")
    assert "# night  # trialrun: ignore[cron-dst] old  # trialrun: ignore[cron-syntax" in commented(text).source.text


@pytest.mark.generated
@pytest.mark.parametrize(("line_break", "path"), some_of(product((b"\n", b"\r\n"), FILES)))
def test_every_known_mistake_can_be_suppressed(path: Path, line_break: bytes) -> None:
    data = path.read_bytes().replace(b"\n", line_break)
    tree = parse(data, "file.yaml")
    if encode(tree.source) != data:
        pytest.skip("its bytes cannot be written back")
    done = commented(data)
    after = encode(done.source)
    assert [document.value for document in parse(after, "file.yaml").documents] == [d.value for d in tree.documents]
    assert {each.rule for each in done.left} <= UNREAD
    assert {each.rule for each in silenced(after).kept} <= UNREAD | {"expired-suppression"}


@pytest.mark.parametrize("name", ["channel-config-strategy", "feature-view-broken", "document-reading"])
def test_a_comment_is_where_the_editor_puts_it(name: str) -> None:
    (path,) = [path for path in FILES if path.stem == name]
    tree = parse(path.read_bytes(), "file.yaml")
    placed = [(edit, each) for each in silenced(path.read_bytes()).kept if (edit := add_ignore(tree, each)) is not None]
    assert placed
    for edit, diagnostic in placed:
        done = add_ignores(tree, [diagnostic], lambda rules: ignore_comment(rules, REASON_PLACEHOLDER))
        start, end = tree.source.offset(edit.range.start), tree.source.offset(edit.range.end)
        assert done.source.text == tree.source.text[:start] + edit.text + tree.source.text[end:]


@pytest.mark.exhaustive
def test_many_findings_are_quick() -> None:
    items = "".join(f"  - {{name: Item {number}, prise: 1}}\n" for number in range(2_000))
    done = commented(f"kind: Menu\nname: m\nitems:\n{items}")
    assert done.left == ()
    assert done.source.text.count("ignore[unknown-field] ok\n") == 2_000


def test_the_work_for_a_file_is_bounded() -> None:
    nowhere = "# trialrun: ignore[cron-syntax] below everything\n" * 30
    data = f"kind: Menu\nname: m\nitems: [{{name: Fries}}]\n{nowhere}".encode()
    tree, found = parse(data, "file.yaml"), silenced(data).kept
    comments: list[str] = []

    def comment(rules: Sequence[str]) -> str:
        comments.append(ignore_comment(rules, "ok"))
        return comments[-1]

    def tries(max_reparsed: int) -> int:
        comments.clear()
        assert len(add_ignores(tree, found, comment, max_reparsed=max_reparsed).left) == 30
        return len(comments)

    assert tries(10 * len(data)) < tries(10**9) / 1.5
