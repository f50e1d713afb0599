"""What a client is asked to watch."""

from __future__ import annotations

from fnmatch import fnmatchcase

from tests.cases import each_of
from trialrun.lsp.server.language_server import GLOBS
from trialrun.runtime.feature_view.source.location import ENDINGS as OF_TABLES
from trialrun.workspace.discovery import SETTINGS_FILES
from trialrun.workspace.paths import ENDINGS

CASES = [case(ending) for ending in ENDINGS for case in (str.upper, str.title)]
NAMES = [f"deep/inside/a{ending}" for ending in (*ENDINGS, *CASES, *OF_TABLES)] + [
    f"deep/{name}" for name in SETTINGS_FILES
]


def is_watched(name: str) -> bool:
    """Whether a glob has a name; those of the protocol list endings in braces."""
    plain = [glob.partition("{")[0] + end for glob in GLOBS for end in glob.partition("{")[2].rstrip("}").split(",")]
    return any(fnmatchcase(name, glob.replace("**/", "*/")) for glob in plain)


@each_of(NAMES)
def test_every_file_that_can_change_a_finding_is_watched(name: str) -> None:
    assert is_watched(name)


def test_other_files_are_not() -> None:
    assert not is_watched("deep/README.md")
