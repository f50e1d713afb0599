"""`trialrun languages [STORE]`: what customers of each language hear, gaps first."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from trialrun.cli.options import AT
from trialrun.cli.output import write_utf8
from trialrun.cli.stores import active_stores
from trialrun.cli.workspace_options import page_layout, workspace_options
from trialrun.errors import UsageError
from trialrun.outputs.languages import languages_object
from trialrun.outputs.origin import errors_object
from trialrun.outputs.resolve import store_names
from trialrun.report.format_value import format_value, truncate
from trialrun.report.json_encoding import json_text
from trialrun.report.summary import pluralize
from trialrun.report.terminal_width import escape_controls
from trialrun.report.terminal_width import width as width_of
from trialrun.report.wrap import wrap_text
from trialrun.runtime.channel_config.dialogue.languages import language_table
from trialrun.runtime.channel_config.equivalence import group_stores
from trialrun.values.language_tag import canonicalize, english_name
from trialrun.values.resource_name import last_id

if TYPE_CHECKING:
    from trialrun.cli.stores import ActiveStores
    from trialrun.report.color import Paint
    from trialrun.runtime.channel_config.dialogue.languages import LanguageRow, LanguageTable, SpokenText

INDENT = "  "
MAX_SHOWN_PHRASES = 1
"""Phrases of a greeting that are shown; the others are counted."""
MAX_STORES = 12


@click.command("languages")
@click.argument("store", required=False, metavar="[STORE]")
@click.option(
    "--language",
    "languages",
    metavar="TAG",
    multiple=True,
    help="Also show what customers of this language hear, such as fr-CA; may be repeated.",
)
@AT
@workspace_options
def command(store: str | None, languages: tuple[str, ...], **options: Any) -> int:
    """Show what customers of each language hear at a STORE, or at all stores: the greeting and the messages of offers.

    Languages with gaps come first, and within a language what is not said at all, then what is said in another
    language. The text is chosen as in a session: the customer's language, else the default language. Stores that say
    the same are shown once. Nothing in it depends on time, so --at has no effect. Exit code 1: the documents that the
    result depends on have errors.
    """
    further = [_tag(language) for language in languages]
    stores = active_stores(store, options)
    groups = _groups(stores, further)
    if options["output_format"] == "json":
        write_utf8([json_text({**languages_object(groups), "errors": errors_object(stores.errors)}), "\n"])
    else:
        width, paint = page_layout(options["color"])
        sys.stdout.writelines(_text(groups, width, paint))
    return stores.report_errors(options["color"])


def _tag(text: str) -> str:
    """The canonical form of a language tag. Raises UsageError."""
    tag = canonicalize(text)
    if tag is None:
        raise UsageError(f'--language: "{text}" is not a language tag; write one such as en-US')
    return tag


def _groups(stores: ActiveStores, further: Sequence[str]) -> list[tuple[list[str], LanguageTable]]:
    """The tables with the names of the stores that have each: most stores first."""
    by_texts: dict[str, tuple[list[str], LanguageTable]] = {}
    for group in group_stores(stores.active_configs):
        table = language_table(group.first, further)
        names = by_texts.setdefault(repr(_spoken(table)), ([], table))[0]
        names.extend(store_names(group.stores))
    return sorted(by_texts.values(), key=lambda group: -len(group[0]))


def _spoken(table: LanguageTable) -> object:
    """What customers hear, regardless of where it is written."""
    texts = [(row.tag, [(text.title, text.tag, text.texts, text.why) for text in row.texts]) for row in table.rows]
    return table.default, table.why_silent, texts


def _text(groups: Sequence[tuple[list[str], LanguageTable]], width: int, paint: Paint) -> Iterator[str]:
    for number, (stores, table) in enumerate(groups):
        yield "\n" if number else ""
        yield from _store_lines(stores, width, paint)
        if table.why_silent or not table.rows:
            yield f"{INDENT}{paint(table.why_silent or 'no text in any language', 'gutter')}\n"
        for row in table.rows:
            yield "\n"
            yield from _row_lines(row, table, width, paint)


def _store_lines(stores: Sequence[str], width: int, paint: Paint) -> Iterator[str]:
    names = ", ".join(escape_controls(last_id(name)) for name in stores[:MAX_STORES])
    more = f", … {len(stores)} in all" if len(stores) > MAX_STORES else ""
    yield from (f"{paint(line, 'rule')}\n" for line in wrap_text(names + more, first=width, rest=width))


def _row_lines(row: LanguageRow, table: LanguageTable, width: int, paint: Paint) -> Iterator[str]:
    """The heading of a language, then a line for each text, those that are missing first."""
    counts = [
        pluralize(row.count("none"), "gap") if row.count("none") else "",
        pluralize(row.count("fallback"), "fallback") if row.count("fallback") else "",
        "default" if row.tag == table.default else "",
    ]
    heading = truncate("  ".join(filter(None, (row.tag, english_name(row.tag), *counts))), width - len(INDENT))
    yield f"{INDENT}{paint(heading, 'warning' if row.count('none') else 'place')}\n"
    order = ("none", "fallback", "own")
    for text in sorted(row.texts, key=lambda spoken: order.index(spoken.source)):
        yield from _text_lines(text, width, paint)


def _text_lines(text: SpokenText, width: int, paint: Paint) -> Iterator[str]:
    """What is said, after its title; where it is written below it if that does not fit beside it."""
    indent = INDENT * 2
    title = escape_controls(text.title)
    if text.source == "none":
        line = f"{indent}{title}: {escape_controls(text.why or '')}"
        yield f"{paint(truncate(line, width), 'warning')}\n"
        return
    more = f" and {len(text.texts) - MAX_SHOWN_PHRASES} more" if len(text.texts) > MAX_SHOWN_PHRASES else ""
    fallback = f", in {text.tag or 'no named language'}" if text.source == "fallback" else ""
    line = f"{indent}{title}{fallback}: {', '.join(map(format_value, text.texts[:MAX_SHOWN_PHRASES]))}{more}"
    place = f"{text.origin.path}:{text.origin.line}" if text.origin else ""
    if width_of(line) + len(INDENT) + width_of(place) <= width:
        yield f"{line}{INDENT}{paint(place, 'gutter')}\n"
        return
    yield f"{truncate(line, width)}\n"
    yield f"{paint(truncate(indent + INDENT + place, width), 'gutter')}\n"
