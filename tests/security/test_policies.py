"""Policies that would work for minutes: each is refused as too much work, and the others are judged."""

from pathlib import Path

import pytest

from tests.cases import some_of
from tests.lint.policy.parse_policies import policy, read, told
from tests.program import Run, view

TEXT = "self.supplementalInstructions.freeformInstructions"
ROOT_TEXT = TEXT.replace("self", "root")
UPSELLS = "root.operationsConfig.upsellStrategy.upsells"
TOO_MUCH = "it may do too much work here; let its loops go over fewer items or shorter texts"
CHECKS = {
    "a text in each loop": ("ChannelConfig", f"lists.range(9000).all(i, {TEXT}.indexOf('zz') < 0)"),
    "a longer text in each loop": ("ChannelConfig", f"lists.range(9000).all(i, size({TEXT} + {TEXT}) > 0)"),
    "lists of lists": ("ChannelConfig", "lists.range(9000).map(i, lists.range(10000)).size() > 5 && has(self.name)"),
    "a text split and joined": ("ChannelConfig", f"lists.range(900).all(i, size({TEXT}.split(',').join('-')) > 0)"),
    "a text that swells": ("ChannelConfig", f"size(lists.range(9000).map(i, {TEXT}).join('')) > 0"),
    "a bound text": ("ChannelConfig", f"cel.bind(t, {TEXT}, lists.range(9000).all(i, t.replace('a', 'b') != ''))"),
    "pairs of a set": ("ChannelConfig", f"sets.contains({TEXT}.split(''), {TEXT}.split(''))"),
    "pairs of a list": ("ChannelConfig", f"{TEXT}.split(',').map(p, [p]).distinct().size() > 0"),
    "a regular expression": (
        "ChannelConfig",
        f"lists.range(900).all(i, !{TEXT}.matches('((a|b|,){{1,30}}a){{1,30}}z'))",
    ),
    "expressions that are compiled": ("UpsellConfig", "!self.displayName.matches('((n|o|[0-9]){1,30}z){1,30}z')"),
    "all pairs of upsells": ("UpsellConfig", f"{UPSELLS}.map(u, u.displayName).size() > 1 && self.priority > 0"),
    "a text of the document": ("UpsellConfig", f"{ROOT_TEXT}.replace('a', 'b').size() > self.priority"),
    "runs of schedules": ("UpsellConfig", "cron.runs('0 0 29 2 ' + string(self.priority % 7), 300).size() > 0"),
}


def config(*, upsells: int, characters: int) -> str:
    """A ChannelConfig with many upsells and a long text."""
    items = "".join(f"      - {{priority: {at}, displayName: n{at}}}\n" for at in range(1, upsells + 1))
    return (
        "kind: ChannelConfig\nname: projects/p/locations/l/brands/b/channelConfigs/c\ntype: UPSELL_STRATEGY\n"
        f"supplementalInstructions: {{freeformInstructions: '{'a,' * (characters // 2)}'}}\n"
        f"operationsConfig:\n  upsellStrategy:\n    upsells:\n{items}"
    )


@pytest.mark.parametrize("name", some_of(CHECKS, 4))
def test_a_policy_that_would_work_for_long_is_refused_and_the_others_are_judged(name: str) -> None:
    on, check = CHECKS[name]
    hostile = f"id: hostile\non: {on}\nmessage: m\ncheck: |-\n  {check}\n"
    honest = "id: honest\non: UpsellConfig\nmessage: m\ncheck: self.priority != 700\n"
    found = told(read(hostile, honest), config(upsells=900, characters=300_000))
    assert sorted(line.partition(" ")[2] for line in found) == [
        "honest m",
        f"internal-error the policy hostile (0.yaml:1) failed here: {TOO_MUCH}; fix its check",
    ]


@pytest.mark.parametrize(
    ("on", "check"),
    [
        ("ChannelConfig", f"{UPSELLS.replace('root', 'self')}.all(u, u.displayName.matches('^n[0-9]+$'))"),
        ("ChannelConfig", f"{UPSELLS.replace('root', 'self')}.map(u, u.displayName).distinct().size() > 1"),
        ("ChannelConfig", f"!{TEXT}.lowerAscii().contains('forbidden') && {TEXT}.split(',').size() > 1"),
        ("UpsellConfig", f"{UPSELLS}.exists_one(u, u.displayName == self.displayName)"),
        ("ChannelConfig", "texts(self).all(t, ['x', 'y', 'z'].all(w, !t.contains(w)))"),
    ],
)
def test_what_people_write_is_judged_on_large_documents(on: str, check: str) -> None:
    assert told(policy(check, on=on), config(upsells=150, characters=100_000)) == []


def test_check_ends_and_names_the_policies(run: Run, tmp_path: Path) -> None:
    documents = [
        f"id: p{at}\non: {on}\nmessage: m\ncheck: |-\n  {check}\n" for at, (on, check) in enumerate(CHECKS.values())
    ]
    (tmp_path / "policies").mkdir()
    (tmp_path / "policies/hostile.yaml").write_text("---\n".join(documents))
    (tmp_path / "trialrun.toml").write_text('policies = ["policies/"]\n')
    (tmp_path / "c.yaml").write_text(config(upsells=900, characters=900_000))
    (tmp_path / "v.yaml").write_text(view(cron="0 25 * * *"))
    ran = run("check", "--no-cache", "--output-format", "concise")
    assert ran.code == 3
    assert ran.out.count("fix its check") == len(CHECKS)
    assert "error cron-syntax" in ran.out
