"""Completion of lines at the prompt of a session."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trialrun.cli.session.meta_commands import COMMANDS, flatten_state, upsell_names
from trialrun.runtime.channel_config.script import VERBS

if TYPE_CHECKING:
    from trialrun.cli.session.repl_state import Repl

LAST_ACTION = re.compile(r'(?:[^;"]|"(?:[^"\\]|\\.)*"?)*$')
COUNT = re.compile(r"\d+\s*(?:[x×]\s+)?\s*", re.IGNORECASE)
WITH = re.compile(r"\s(?:with|w/)\s+", re.IGNORECASE)
SPELLINGS = {spelling: verb.spellings[0] for verb in VERBS for spelling in verb.spellings}


def completions(text: str, conversation: Repl) -> tuple[str, list[str]]:
    """The part of the line to keep, and candidates for the rest."""
    move = LAST_ACTION.search(text)
    begun = move[0].lstrip() if move else text
    stays = text[: len(text) - len(begun)]
    word, blank, rest = begun.partition(" ")
    if not blank:
        words = [verb.spellings[0] for verb in VERBS] + [name for name, command in COMMANDS.items() if command.summary]
        return stays, [f"{one} " for one in words if one.startswith(word.lower())]
    start, names = _names(SPELLINGS.get(word.lower(), word.lower()), rest, conversation)
    typed = rest[start:].casefold()
    return f"{stays}{word} {rest[:start]}", list(
        dict.fromkeys(name for name in names if name.casefold().startswith(typed))
    )


def _names(verb: str, rest: str, conversation: Repl) -> tuple[int, list[str]]:
    """The start of the name that is being typed after a verb, and the candidates for it."""
    session, menu = conversation.session, conversation.staging.menu
    match verb:
        case "add" | "accept" if found := list(WITH.finditer(rest)):
            item = menu.name_index.resolve(COUNT.sub("", rest[: found[0].start()], count=1).rpartition(", ")[2])
            listed = (
                found[-1].end() + rest[found[-1].end() :].rfind(", ") + (2 if ", " in rest[found[-1].end() :] else 1)
            )
            return listed, [modifier.name for modifier in menu.modifiers_of(item)]
        case "add":
            begin = rest.rfind(", ") + 2 if ", " in rest else 0
            count = COUNT.match(rest, begin)
            return count.end() if count else begin, [item.name for item in menu.items]
        case "remove" | "quantity":
            count = COUNT.match(rest) if verb == "remove" else None
            return count.end() if count else 0, [order_line_item.item.name for order_line_item in session.order]
        case "accept":
            return 0, [name for offer in session.open_offers for name in offer.items]
        case "why":
            return 0, upsell_names(conversation)
        case "set" | "state":
            return 0, [path for path, _ in flatten_state(session.state)]
        case "speak":
            return 0, _languages(conversation)
    return 0, []


def _languages(conversation: Repl) -> list[str]:
    """The languages of the agent's greetings."""
    greetings = conversation.staging.trial.active_config.operations_field("greetings") or ()
    return [greeting.languageCode for greeting in greetings if greeting.languageCode]
