"""The tests of a file of the program, the nearest first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path, PurePosixPath

Arguments = tuple[str, ...]
"""What pytest is called with: files, folders and options."""

NOT_OF_A_PART = ("tests/delivery/", "tests/editors/", "tests/fuzz/", "tests/test_architecture.py", "tests/test_bench")
"""Tests of the whole: of its structure, of its installation and of its speed."""
MOST_NEAREST = 6
NEAR = {
    "lsp/features/code_action": "tests/lsp/test_code_action.py",
    "lsp/describe/": "tests/lsp/hover/",
    "lsp/symbols/": "tests/lsp/navigation/",
    "lint/rule_support/": "tests/rules/test_catalogue.py",
}
"""The start of the paths of tests for folders whose tests have other names."""
FIXTURES = ("tests/test_fixtures.py", "tests/rules/test_catalogue.py")
USERS = {
    "parser": ("tests/model/", "tests/fix/", *FIXTURES),
    "values": (*FIXTURES, "tests/lint/"),
    "model": (*FIXTURES, "tests/test_schema.py", "tests/lint/"),
    "lint": (*FIXTURES, "tests/rules/", "tests/workspace/"),
    "fix": (*FIXTURES, "tests/workspace/", "tests/lsp/test_code_action.py"),
    "workspace": ("tests/cli/", "tests/security/", "tests/runtime/test_limits.py"),
    "report": ("tests/cli/",),
    "outputs": ("tests/cli/", "tests/test_schema.py", "tests/test_output_schemas.py"),
    "runtime": ("tests/cli/", "tests/service/"),
    "": ("tests/security/", "tests/cli/", "tests/workspace/"),
}
"""Tests that use a package much, as starts of their paths, besides those in its own folder."""


def test_stages(root: Path, path: str) -> list[Arguments]:
    """Groups of tests of a file of `src` or `rules`, which run one after the other until one fails."""
    stages = _rule_stages(root, path) if path.startswith("rules/") else _module_stages(root, path)
    return list(_without_repetition(stages))


def _rule_stages(root: Path, path: str) -> Iterator[Iterable[str]]:
    rule = PurePosixPath(path).stem
    yield ("tests/rules/test_catalogue.py", "-k", rule)
    yield (file for file, text in _tests(root) if rule in text)
    yield from ((file for file, _ in _tests(root) if file.startswith(start)) for start in (FIXTURES[0], "tests/rules/"))
    yield (file for file, _ in _tests(root) if file.startswith(("tests/lint/", "tests/fix/", "tests/workspace/")))


def _module_stages(root: Path, path: str) -> Iterator[Iterable[str]]:
    parts = PurePosixPath(path).relative_to("src/trialrun").with_suffix("").parts
    parts = parts[:-1] if parts[-1] == "__init__" else parts
    package = parts[0] if len(parts) > 1 else ""
    top, folder = _mirror(root, parts[:1]), _mirror(root, parts[:-1])
    importers = [file for file, text in _tests(root) if _imports(text, parts)]
    named = [file for file, _ in _tests(root) if file.startswith(top) and _is_named_after(file, parts[-1:])]
    nearest = sorted({*importers, *named}, key=lambda file: (file not in named, not file.startswith(folder), file))
    yield nearest[:MOST_NEAREST]
    near = tuple(tests for start, tests in NEAR.items() if "/".join(parts).startswith(start))
    yield (file for file, _ in _tests(root) if file.startswith(near))
    yield (file for file, _ in _tests(root) if file.startswith(top) and _is_named_after(file, parts[1:]))
    yield (file for file, _ in _tests(root) if folder != "tests/" and file.startswith(folder))
    yield nearest
    yield (file for file, _ in _tests(root) if top != "tests/" and file.startswith(top))
    if package == "cli":
        yield (file for file, text in _tests(root) if any(f'run("{part}"' in text for part in parts[1:]))
    yield (file for file, _ in _tests(root) if file.startswith(USERS.get(package, ())))


def _without_repetition(stages: Iterable[Iterable[str]]) -> Iterator[Arguments]:
    """The stages without files of earlier ones; some tests of a file, chosen by name, do not count as the file."""
    seen: set[str] = set()
    for stage in stages:
        words = tuple(dict.fromkeys(stage))
        new = words if "-k" in words else tuple(word for word in words if word not in seen)
        if new:
            seen.update(() if "-k" in new else new)
            yield new


@lru_cache(maxsize=8)
def _tests(root: Path) -> tuple[tuple[str, str], ...]:
    """The files of tests that belong to a part of the program, with their texts."""
    files = ((file.relative_to(root).as_posix(), file) for file in sorted((root / "tests").rglob("test_*.py")))
    return tuple((name, file.read_text(encoding="utf-8")) for name, file in files if not name.startswith(NOT_OF_A_PART))


def _mirror(root: Path, parts: tuple[str, ...]) -> str:
    """The start of the paths of tests in the deepest folder that has the name of a package."""
    while parts and not root.joinpath("tests", *parts).is_dir():
        parts = parts[:-1]
    return "/".join(("tests", *parts, ""))


def _imports(text: str, parts: tuple[str, ...]) -> bool:
    package, module = ".".join(("trialrun", *parts[:-1])), ".".join(("trialrun", *parts))
    names = rf"\(?[^)\n]*\b{re.escape(parts[-1])}\b" if parts else ""
    return bool(re.search(rf"^\s*(from|import) {re.escape(module)}\b(?!\.)", text, re.MULTILINE)) or bool(
        parts and re.search(rf"^\s*from {re.escape(package)} import {names}", text, re.MULTILINE)
    )


def _is_named_after(file: str, parts: Iterable[str]) -> bool:
    """Whether the name of a file of tests has a module or a package in it: `test_cron_runs.py` has `cron`."""
    name = PurePosixPath(file).stem.removeprefix("test_")
    return any(re.search(rf"(^|_){re.escape(part.strip('_'))}s?(_|$)", name) for part in parts)
