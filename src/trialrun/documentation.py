"""The pages of the documentation and the settings of editors: those of the installed package, or the repository's."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

PACKAGE = os.path.dirname(os.path.abspath(__file__))
REPOSITORY = os.path.dirname(os.path.dirname(PACKAGE))
ROOT_PAGES = {"changelog": "CHANGELOG.md", "contributing": "CONTRIBUTING.md", "security": "SECURITY.md"}
"""Pages that a repository has at its top, as its readers expect them."""

RULES_PAGE = "rules"
ASSUMPTIONS_PAGE = "assumptions"
OTHER_PROGRAMS_PAGE = "other-programs"
ASSUMPTION_COLUMNS = 5
CHANGES_PAGE = "changes"
EDITORS = {
    "emacs": "emacs/trialrun.el",
    "helix": "helix/languages.toml",
    "jetbrains": "jetbrains/trialrun/template.json",
    "neovim": "neovim/trialrun.lua",
    "vscode": "vscode/settings.json",
}
"""The files with the settings that let editors start the server, below `editors` in the repository."""


@cache
def pages() -> Mapping[str, str]:
    """The file of every page by its name, which is the file's without its ending, in the order of the names."""
    packaged = os.path.join(PACKAGE, "_docs")
    files = dict(_markdown_files(packaged) if os.path.isdir(packaged) else _pages_in_repository())
    return {name: files[name] for name in sorted(files)}


def page_text(name: str) -> str:
    """The Markdown of a page; KeyError for a name that no page has."""
    with open(pages()[name], encoding="utf-8") as stream:
        return stream.read()


def editor_settings(editor: str) -> str:
    """The settings that let an editor start the server, one of `EDITORS`."""
    packaged = os.path.join(PACKAGE, "_editors")
    folder = packaged if os.path.isdir(packaged) else os.path.join(REPOSITORY, "editors")
    with open(os.path.join(folder, EDITORS[editor]), encoding="utf-8") as stream:
        return stream.read()


def page_title(name: str) -> str:
    """The first heading of a page, without its marks; its name if it has none."""
    with open(pages()[name], encoding="utf-8") as stream:
        heading = next((line for line in stream if line.startswith("# ")), f"# {name}")
    return heading[2:].strip().replace("`", "")


def sections_about(rule_id: str) -> Iterator[str]:
    """The sections of the page about other programs that name a rule in their line `Rules: …`."""
    for section in page_text(OTHER_PROGRAMS_PAGE).split("\n## ")[1:]:
        if any(line.startswith("Rules: ") and f"`{rule_id}`" in line for line in section.splitlines()):
            yield section.strip()


@cache
def assumptions() -> Mapping[str, tuple[str, str, str, str]]:
    """What is silent, what was chosen, why, and what changes it, by the id of the row."""
    if ASSUMPTIONS_PAGE not in pages():
        return {}
    rows = (_cells(line) for line in page_text(ASSUMPTIONS_PAGE).splitlines() if line.startswith("| "))
    whole = (row for row in rows if len(row) == ASSUMPTION_COLUMNS and row[0] != "id")
    return {row[0]: (row[1], row[2], row[3], row[4]) for row in whole}


@cache
def changes() -> Mapping[str, Sequence[str]]:
    """The kinds of changes of `plan` by id, sorted: the level, what it is, why, what is compared, and backwards."""
    rows: dict[str, Sequence[str]] = {}
    for section in page_text(CHANGES_PAGE).split("\n## ")[1:]:
        level = section.partition("\n")[0].lower()
        for line in section.splitlines():
            if line.startswith("| `"):
                id, *cells = _cells(line)
                rows[id.strip("`")] = (level, *cells)
    return dict(sorted(rows.items()))


def _pages_in_repository() -> Iterator[tuple[str, str]]:
    yield from _markdown_files(os.path.join(REPOSITORY, "docs"))
    yield RULES_PAGE, os.path.join(REPOSITORY, "rules", "README.md")
    for name, file in ROOT_PAGES.items():
        if os.path.isfile(os.path.join(REPOSITORY, file)):
            yield name, os.path.join(REPOSITORY, file)


def _markdown_files(folder: str) -> Iterator[tuple[str, str]]:
    for file in os.listdir(folder) if os.path.isdir(folder) else ():
        if file.endswith(".md"):
            yield file.removesuffix(".md"), os.path.join(folder, file)


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split(" | ")]
