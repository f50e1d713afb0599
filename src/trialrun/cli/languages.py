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
from trialrun.outputs.languages import LanguageGroup, LanguageText, language_table
from trialrun.outputs.origin import errors_object
from trialrun.outputs.resolve import store_names
from trialrun.report.format_value import format_value, truncate
from trialrun.report.json import json_text
from trialrun.report.summary import pluralize
from trialrun.report.terminal_width import escape_controls, wrap_text
from trialrun.report.terminal_width import width as width_of
from trialrun.runtime.channel_config.equivalence import group_stores
from trialrun.values.language_tag import canonicalize
from trialrun.values.resource_name import last_id

if TYPE_CHECKING:
    from trialrun.report.color import Paint

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
    further = []
    for language in languages:
        tag = canonicalize(language)
        if tag is None:
            raise UsageError(f'--language: "{language}" is not a language tag; write one such as en-US')
        further.append(tag)
    stores = active_stores(store, options)
    by_texts: dict[str, LanguageGroup] = {}  # the stores that say the same, wherever it is written
    for equal in group_stores(stores.active_configs):
        table = language_table(equal[0], further)
        rows = [
            (row["tag"], [(text["title"], text["tag"], text["texts"], text.get("why")) for text in row["texts"]])
            for row in table["languages"]
        ]
        same = by_texts.setdefault(repr((table["default"], table.get("silent"), rows)), {**table, "stores": []})
        same["stores"] += store_names(equal)
    groups = sorted(by_texts.values(), key=lambda group: -len(group["stores"]))
    if options["output_format"] == "json":
        errors = errors_object(stores.errors)
        write_utf8([json_text({"version": 1, "groups": groups, "errors": errors}), "\n"])
    else:
        sys.stdout.writelines(_text(groups, *page_layout(options["color"])))
    return stores.report_errors(options["color"])


def _text(groups: Sequence[LanguageGroup], width: int, paint: Paint) -> Iterator[str]:
    for number, group in enumerate(groups):
        yield "\n" if number else ""
        stores, silent = group["stores"], group.get("silent")
        names = ", ".join(escape_controls(last_id(name)) for name in stores[:MAX_STORES])
        more = f", … {len(stores)} in all" if len(stores) > MAX_STORES else ""
        yield from (f"{paint(line, 'rule')}\n" for line in wrap_text(names + more, first=width, rest=width))
        if silent or not group["languages"]:
            yield f"{INDENT}{paint(silent or 'no text in any language', 'gutter')}\n"
        for row in group["languages"]:
            yield "\n"
            counts = [
                pluralize(row["gaps"], "gap") if row["gaps"] else "",
                pluralize(row["fallbacks"], "fallback") if row["fallbacks"] else "",
                "default" if row["tag"] == group["default"] else "",
            ]
            heading = truncate("  ".join(filter(None, (row["tag"], row["name"], *counts))), width - len(INDENT))
            yield f"{INDENT}{paint(heading, 'warning' if row['gaps'] else 'place')}\n"
            for text in sorted(row["texts"], key=lambda text: ("none", "fallback", "own").index(text["source"])):
                yield from _text_lines(text, width, paint)


def _text_lines(text: LanguageText, width: int, paint: Paint) -> Iterator[str]:
    """What is said, after its title; where it is written below it if that does not fit beside it."""
    indent, title, phrases = INDENT * 2, escape_controls(text["title"]), text["texts"]
    if text["source"] == "none":
        line = f"{indent}{title}: {escape_controls(text.get('why') or '')}"
        yield f"{paint(truncate(line, width), 'warning')}\n"
        return
    more = f" and {len(phrases) - MAX_SHOWN_PHRASES} more" if len(phrases) > MAX_SHOWN_PHRASES else ""
    fallback = f", in {text['tag'] or 'no named language'}" if text["source"] == "fallback" else ""
    line = f"{indent}{title}{fallback}: {', '.join(map(format_value, phrases[:MAX_SHOWN_PHRASES]))}{more}"
    place = f"{text['from']['path']}:{text['from']['line']}" if "from" in text else ""
    if width_of(line) + len(INDENT) + width_of(place) <= width:
        yield f"{line}{INDENT}{paint(place, 'gutter')}\n"
        return
    yield f"{truncate(line, width)}\n"
    yield f"{paint(truncate(indent + INDENT + place, width), 'gutter')}\n"
