"""Commands at the prompt of a session that do not play a turn, such as why, state and save; completion of lines."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from trialrun.cli.files import is_other_file, save_scenario, write_atomically
from trialrun.cli.session_repl import MetaCommand, Repl
from trialrun.cli.session_text import SessionReport, agent_instructions, format_value, order_lines
from trialrun.errors import UsageError
from trialrun.report.format_value import align_if_wide_enough, join_cells
from trialrun.report.terminal_width import escape_controls, wrap_text
from trialrun.report.terminal_width import width as width_of
from trialrun.runtime.channel_config.menu import OrderLineItem
from trialrun.runtime.channel_config.script import VERBS, format_actions
from trialrun.runtime.channel_config.session.actions import Add, Say
from trialrun.runtime.channel_config.session.turn import upsell_name
from trialrun.values.suggest import did_you_mean
from trialrun.values.timestamp import format_timestamp

if TYPE_CHECKING:
    from trialrun.cli.session_text import TextWriter
    from trialrun.runtime.channel_config.menu import BrandMenu
    from trialrun.runtime.channel_config.session.turn import Turn

SCRIPT_HEADER = "# trialrun session"
"""First line of a saved script; other files are not overwritten."""


def _help(conversation: Repl, about: str) -> Iterator[str]:
    sheet = conversation.sheet
    yield sheet.paint("what the customer does (separate several actions with semicolons)", "gutter") + "\n"
    yield from _rows([[verb.usage, verb.description] for verb in VERBS], sheet)
    if example := _example(conversation.staging.menu):
        yield from sheet.title(sheet.paint("for example", "gutter"), example)
    yield sheet.paint("commands", "gutter") + "\n"
    named = {word: command for word, command in COMMANDS.items() if command.summary}
    yield from _rows([[f"{word} {one.argument}".rstrip(), one.summary] for word, one in named.items()], sheet)


def _example(menu: BrandMenu) -> str | None:
    """An example line with names from the menu."""
    item = next((item for item in menu.items if item.modifiers), next(iter(menu.items), None))
    if item is None:
        return None
    ordered = OrderLineItem(item, 2, item.modifiers[:1])
    return format_actions([Add(ordered), Say("that's it for now")], menu)


def _rows(rows: Sequence[Sequence[str]], sheet: TextWriter) -> Iterator[str]:
    """Two columns; the second is wrapped."""
    first = max(width_of(row[0]) for row in rows)
    begin = 2 + first + 2
    for one, words in rows:
        lines = wrap_text(words, first=sheet.width - begin, rest=sheet.width - begin)
        yield f"  {sheet.paint(one, 'rule')}{' ' * (first - width_of(one))}  {lines[0]}\n"
        yield from (f"{' ' * begin}{line}\n" for line in lines[1:])


def _why(conversation: Repl, about: str) -> Iterator[str]:
    """The reasons of the last turn; for an upsell, of the last turn that mentions it."""
    if not about:
        lines = list(_why_in(conversation.turns[-1].turn, conversation.sheet))
        yield from lines or conversation.sheet.labelled_lines("", "no upsell was considered", "gutter")
        return
    names = upsell_names(conversation)
    same = next((name for name in names if name.casefold() == about.strip('"').casefold()), None)
    if same is None:
        hint = did_you_mean(
            about, names, min_similarity=0.4, otherwise=f"there are {', '.join(names)}" if names else ""
        )
        yield from conversation.sheet.labelled_lines("", f'there is no upsell "{about}" at this store{hint}', "error")
        return
    for turn in reversed(conversation.turns):
        lines = list(_why_in(turn.turn, conversation.sheet, same))
        if lines:
            yield from lines
            return
    yield from conversation.sheet.labelled_lines("", f'"{same}" was not considered yet', "gutter")


def _why_in(turn: Turn, sheet: TextWriter, name: str | None = None) -> Iterator[str]:
    report = SessionReport(sheet)
    lines = list(report.upsells(turn, name))
    if turn.offers or turn.skipped if name is None else lines:
        yield from sheet.title(f"turn {turn.number}" if turn.number else "welcome", turn.customer)
        yield from lines


def upsell_names(conversation: Repl) -> list[str]:
    """The names of the upsells in effect."""
    strategy = conversation.staging.trial.active_config.upsell_strategy
    return [upsell_name(upsell) for upsell in (strategy.upsells or ())] if strategy else []


def _state(conversation: Repl, about: str) -> Iterator[str]:
    rows = [
        [path, format_value(value)]
        for path, value in flatten_state(conversation.session.state)
        if path.startswith(about)
    ]
    if not rows:
        yield from conversation.sheet.labelled_lines("", f'no state path starts with "{about}"', "error")
        return
    yield from (f"  {join_cells(cells)}\n" for cells in align_if_wide_enough(rows, width=conversation.sheet.width - 2))


def flatten_state(state: object, path: str = "") -> Iterator[tuple[str, object]]:
    """The values of the state by path."""
    if isinstance(state, dict) and state:
        for key, value in state.items():
            yield from flatten_state(value, f"{path}.{key}" if path else str(key))
    elif path:
        yield path, state


def _menu(conversation: Repl, about: str) -> Iterator[str]:
    wanted = about.casefold()
    found = [item for item in conversation.staging.menu.items if wanted in item.name.casefold()]
    if not found:
        words = f'no menu item contains "{about}"' if about else "there is no menu; any name is accepted as an item"
        yield from conversation.sheet.labelled_lines("", words, "gutter")
        return
    rows = [[file.name, f"{file.price:.2f}" if file.price else ""] for file in found]
    yield from (
        f"  {join_cells(cells)}\n"
        for cells in align_if_wide_enough(rows, width=conversation.sheet.width - 2, right=[1])
    )


def _undo(conversation: Repl, about: str) -> Iterator[str]:
    """Undo the last turn, or before the first turn the last setting."""
    if len(conversation.turns) > 1:
        yield from conversation.sheet.labelled_lines("undone", conversation.turns.pop().line)
    elif conversation.settings:
        yield from conversation.sheet.labelled_lines("undone", conversation.settings.pop()[0])
        conversation.restart()
    else:
        yield from conversation.sheet.labelled_lines("", "there is nothing to undo", "gutter")


def _new(conversation: Repl, about: str) -> Iterator[str]:
    conversation.restart()
    yield from conversation.new_state_report().turn(conversation.turns[0].turn)


def _save(conversation: Repl, text: str) -> Iterator[str]:
    """Save the script so far, or the session as a scenario; refuses to overwrite any other file."""
    word, _, rest = text.partition(" ")
    is_scenario = word == "scenario" and bool(rest.strip())
    file = rest.strip() if is_scenario else text
    try:
        if is_scenario:
            save_scenario(file, conversation.scenario)
            done = "trialrun test plays it"
        elif not file:
            raise UsageError("no file name; write save FILE")
        elif is_other_file(file, SCRIPT_HEADER):
            raise UsageError(f"{file} exists and is not a saved script; choose another name")
        else:
            write_atomically(file, _script(conversation, file))
            done = "its first line shows how to run it"
    except UsageError as error:
        yield from conversation.sheet.labelled_lines("", str(error), "error")
        return
    yield from conversation.sheet.labelled_lines("saved", f"{file}; {done}", "gutter")


def _script(conversation: Repl, file: str) -> Iterator[str]:
    staging, session = conversation.staging, conversation.session
    language = f" --language {staging.language}" if staging.language else ""
    chosen = f"--seed {session.seed} --at {format_timestamp(session.begin)}{language}"
    yield f"{SCRIPT_HEADER} {conversation.title} {chosen} --script {shlex.quote(escape_controls(file))}\n"
    yield from (f"{format_actions([setting])}\n" for setting in staging.settings)
    yield from (f"{line}\n" for line, _ in conversation.settings)
    yield from (f"{turn.line}\n" for turn in conversation.turns[1:])


def _quit(conversation: Repl, about: str) -> Iterator[str]:
    conversation.is_over = True
    yield from ()


COMMANDS = {
    "help": MetaCommand(_help, "show this help"),
    "?": MetaCommand(_help, ""),
    "why": MetaCommand(_why, "why an upsell was offered or not, with the conditions", argument="[UPSELL]"),
    "order": MetaCommand(lambda repl, _: order_lines(repl.session.order, repl.sheet), "show the order"),
    "menu": MetaCommand(_menu, "show the menu", argument="[WORD]"),
    "state": MetaCommand(_state, "show the session state", argument="[PATH]"),
    "instructions": MetaCommand(
        lambda repl, _: agent_instructions(repl.session, repl.sheet), "show the instructions and tools of the agent"
    ),
    "undo": MetaCommand(_undo, "undo the last turn"),
    "new": MetaCommand(_new, "start a new session"),
    "save": MetaCommand(_save, "save the session as a script, or as a scenario", argument="[scenario] FILE"),
    "quit": MetaCommand(_quit, "quit (or Ctrl-D)"),
    "exit": MetaCommand(_quit, ""),
}


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
    found = dict.fromkeys(name for name in names if name.casefold().startswith(typed))
    return f"{stays}{word} {rest[:start]}", list(found)


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
            greetings = conversation.staging.trial.active_config.operations_field("greetings") or ()
            return 0, [greeting.languageCode for greeting in greetings if greeting.languageCode]
    return 0, []
