"""What the runtime's answers cite is a row of docs/assumptions.md."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
CITED = re.compile(r"(sync|serve|search|schedule|as-of|precedence)(-[a-z]+)+$")
OTHERS = {"sync-herd", "sync-herd-size", "sync-running"}
"""Ids of rules, settings and errors, which look alike."""


def cited(path: Path) -> set[str]:
    """The ids of assumptions that a module has as texts of their own."""
    text = path.read_text(encoding="utf-8")
    if not re.search(CITED.pattern.removesuffix("$"), text):
        return set()
    nodes = ast.walk(ast.parse(text))
    texts = (node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return {text for text in texts if CITED.match(text)} - OTHERS


def test_every_assumption_that_is_cited_has_a_row() -> None:
    page = (ROOT / "docs" / "assumptions.md").read_text(encoding="utf-8")
    rows = set(re.findall(r"^\| ([a-z-]+) \|", page, re.MULTILINE))
    modules = sorted((ROOT / "src" / "trialrun" / "runtime").rglob("*.py"))
    found = {id for path in modules for id in cited(path)}
    assert len(found) > 10
    assert found - rows == set()
