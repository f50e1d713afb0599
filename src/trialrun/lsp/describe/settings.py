"""Settings: what each key is for, and the pages of the rules that they name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from trialrun.lint.settings.descriptions import DESCRIPTIONS
from trialrun.lsp.describe.markdown import code, listed

if TYPE_CHECKING:
    from trialrun.lsp.results import Hover
    from trialrun.text import Source, Span
    from trialrun.workspace.open_workspace import OpenWorkspace

PYPROJECT: Final = "pyproject.toml"
SETTINGS: Final = ("trialrun.toml", PYPROJECT)
IN_PYPROJECT: Final = "tool.trialrun"
SEVERITIES: Final = {
    "error": "`error`: fails `trialrun check`.",
    "warning": "`warning`: fails it with `--fail-on warning`.",
    "note": "`note`: fails it with `--fail-on note`.",
    "off": "`off`: the rule does not run.",
}
_header = re.compile(r"^[ \t]*\[{1,2}[ \t]*([\w.\" -]+?)[ \t]*\]{1,2}[ \t]*(?:#.*)?$", re.MULTILINE)
_key = re.compile(r"""^[ \t]*((?:[\w-]+|"[^"\n]*"|'[^'\n]*')(?:[ \t]*\.[ \t]*[\w"'-]+)*)[ \t]*=""", re.MULTILINE)
_word = re.compile(r"[\w-]+(?:\.[\w-]+)*")


def setting_at(workspace: OpenWorkspace, path: str, offset: int) -> Hover | None:
    """What is known of the word at an offset of a settings file; None in tables of others."""
    from trialrun.diagnostic import Range
    from trialrun.lsp.results import Hover
    from trialrun.parser import read_source
    from trialrun.text import Span

    data = workspace.files.bytes_of(path)
    if data is None:
        return None
    text = read_source(data, path)
    line = text.position(offset).line
    start = text.line_starts[line - 1]
    match = next((one for one in _word.finditer(text.line(line)) if one.start() <= offset - start <= one.end()), None)
    if match is None or _is_comment(text.line(line)[: match.start()]):
        return None
    span = Span(start + match.start(), start + match.end())
    told = "\n\n".join(_told(workspace, path, text, span, match[0]))
    return Hover(told, Range(text.position(span.start), text.position(span.end))) if told else None


def _is_comment(before: str) -> bool:
    """Whether a `#` outside of quotes stands before."""
    return "#" in re.sub(r""""(?:[^"\\]|\\.)*"|'[^']*'""", "", before)


def _told(workspace: OpenWorkspace, path: str, text: Source, span: Span, word: str) -> Iterator[str]:
    header = _in_header(text, span)
    line = text.position(span.start).line
    table = _table(text, text.line_starts[line - 1] + len(text.line(line)) if header else span.start)
    if table is None:
        return
    if header:
        yield from _of_key("", table.removeprefix("overrides.") if table != "overrides" else table)
        return
    key = next((one for one in _key.finditer(text.text) if one.start(1) <= span.start < one.end(1)), None)
    if key is not None and not _names_a_rule(table):
        yield from _of_key(table, key[1].strip("\"'"))
        return
    yield from _of_word(workspace, path, table, word, _key_before(text, span.start))


def _in_header(text: Source, span: Span) -> bool:
    line = text.position(span.start).line
    return _header.match(text.line(line)) is not None


def _table(text: Source, offset: int) -> str | None:
    """The table in which an offset is, from that of our settings; None in one of others."""
    name = ""
    for match in _header.finditer(text.text, 0, offset):
        name = match[1].replace('"', "")
    if not text.path.endswith(PYPROJECT):
        return name
    if name != IN_PYPROJECT and not name.startswith(f"{IN_PYPROJECT}."):
        return None
    return name[len(IN_PYPROJECT) + 1 :]


def _key_before(text: Source, offset: int) -> str:
    """The key whose value, which may go over lines, stands at an offset."""
    found = ""
    for match in _key.finditer(text.text, 0, offset):
        found = match[1]
    return found.strip("\"'")


def _names_a_rule(table: str) -> bool:
    return table.rpartition(".")[2] == "severity"


def _of_key(table: str, key: str) -> Iterator[str]:
    """A key in the words of its table."""
    own = table.removeprefix("overrides.").replace("ignore", "suppress")
    words = DESCRIPTIONS.get(f"{own}.{key}" if own else key) or (DESCRIPTIONS.get(key) if own == "overrides" else None)
    if words:
        yield f"**{code(f'{own}.{key}' if own else key)}**: {words}"


def _of_word(workspace: OpenWorkspace, path: str, table: str, word: str, key: str) -> Iterator[str]:
    """A word of a value, or a rule whose severity is set."""
    from trialrun.lsp.rule_docs import rule_with_example
    from trialrun.model.kinds import KINDS, model_of

    if word in SEVERITIES and (_names_a_rule(table) or key == "severity"):
        yield SEVERITIES[word]
        return
    if word in KINDS and (table == "kinds" or key == "kinds"):
        from trialrun.lsp.describe.field import message_paragraphs

        yield from message_paragraphs(model_of(word))
        return
    if key == "edition":
        yield from _edition(word)
        return
    if key == "policies":
        yield from _pack(word)
        return
    page = rule_with_example(workspace, path, word)
    if page:
        yield page
    elif key in ("select", "ignore", "rule"):
        yield from _group(workspace, word)
    elif key == "min-sync-interval":
        yield from _interval(word)
    else:
        yield from _of_key(table, key)


def _edition(word: str) -> Iterator[str]:
    from trialrun.lint.editions import ADDED

    if word in ADDED:
        added = sorted(ADDED[word])
        yield f"{code(word)}: an edition of the default rules."
        if added:
            yield f"New in it: {listed(added)}"


def _pack(word: str) -> Iterator[str]:
    from trialrun.lint.policy.packs import PolicyReferences, load_policies, shipped_packs

    if word in shipped_packs():
        rules = load_policies([PolicyReferences((word,), "", "")]).rules
        yield f"{code(word)}: a shipped pack of policies."
        yield "\n".join(f"- {code(name)}: {rule.doc.partition(chr(10))[0]}" for name, rule in rules.items())


def _group(workspace: OpenWorkspace, word: str) -> Iterator[str]:
    """A group of rules."""
    from trialrun.errors import UsageError
    from trialrun.lint.settings.resolver import expanded

    try:
        rules = expanded([word], "", workspace.request.profiles.policies)
    except UsageError:
        return
    yield f"{code(word)}: {len(rules)} rules"
    if word != "all":
        yield listed(sorted(rules))


def _interval(word: str) -> Iterator[str]:
    from datetime import timedelta

    from trialrun.report.format_time import format_duration
    from trialrun.values import duration

    try:
        yield f"{code(word)}: {format_duration(timedelta(minutes=duration.parse_minutes(word)))}"
    except (ValueError, OverflowError):
        return
