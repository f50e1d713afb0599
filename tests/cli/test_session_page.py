"""What docs/session.md shows of `trialrun session` is what the program shows."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from tests.cli.example_workspace import EXAMPLE, NOON
from tests.program import Run
from trialrun.runtime.channel_config.script import VERBS

PAGE = (Path(__file__).parents[2] / "docs" / "session.md").read_text(encoding="utf-8")
PROMPT = re.compile(r"^turn \d+(?:, [\d.]+)?> (.*)\n", re.MULTILINE)
TYPED, SCRIPT = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)


def test_the_session_that_is_typed(run: Run) -> None:
    first, _, shown = TYPED.partition("\n")
    lines = "".join(f"{line}\n" for line in PROMPT.findall(shown))
    ran = run(*shlex.split(first.removeprefix("$ trialrun ")), cwd=EXAMPLE, stdin=lines.encode(), COLUMNS="80")
    assert (ran.code, ran.out) == (0, PROMPT.sub("", shown))


def test_the_script(run: Run) -> None:
    ran = run("session", "toronto-queen-west", "--script", "-", *NOON, cwd=EXAMPLE, stdin=SCRIPT.encode())
    assert (ran.code, ran.err) == (0, "")


def test_every_spelling_of_a_verb_is_on_the_page() -> None:
    table = PAGE.partition("### Scripts")[2]
    spellings = [spelling for verb in VERBS for spelling in verb.spellings if "’" not in spelling]
    assert [spelling for spelling in spellings if not re.search(rf"`{spelling}\b", table)] == []
