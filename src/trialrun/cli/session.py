"""`trialrun session STORE`: what the agent does in a session there, by a script or as you type."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import click

from trialrun.cli.files import save_scenario
from trialrun.cli.options import AT
from trialrun.cli.output import is_reader_gone, write_utf8
from trialrun.cli.session_commands import COMMANDS, completions
from trialrun.cli.session_repl import Repl, SessionFactory, invalid_script, parse_script, parse_settings, read_script
from trialrun.cli.session_text import SessionReport, TextWriter, session_header
from trialrun.cli.stores import find_store, report_store_errors, store_title
from trialrun.cli.workspace_options import page_layout, workspace_options
from trialrun.errors import UsageError
from trialrun.outputs.session import session_object
from trialrun.report.json import json_text
from trialrun.report.terminal_width import wrap_text
from trialrun.runtime.channel_config.script import split_settings
from trialrun.runtime.channel_config.session.actions import ActionError

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.script import ScriptLine
    from trialrun.runtime.channel_config.session.session import Session
    from trialrun.runtime.channel_config.session.turn import Turn
    from trialrun.text import Source


def run_repl(staging: SessionFactory, title: str, options: dict[str, Any]) -> int:
    """Run an interactive session until the input ends; returns the exit code."""
    sheet = TextWriter(*page_layout(options["color"]))
    conversation = Repl(staging, title, sheet, COMMANDS)
    session, with_instructions = conversation.session, options["instructions"]
    sys.stdout.writelines(
        session_header(title, session, session.begin, staging.settings, sheet, with_instructions=with_instructions)
    )
    sys.stdout.writelines(conversation.new_state_report().turn(conversation.turns[0].turn))
    prompt = _terminal_lines(conversation) if sys.stdin.isatty() else None
    if prompt is None and isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    while not conversation.is_over and not is_reader_gone():
        sys.stdout.flush()
        line = prompt() if prompt else sys.stdin.readline() or None
        if line is None:
            break
        sys.stdout.writelines(conversation.answer(line))
    return 0


def _terminal_lines(conversation: Repl) -> Callable[[], str | None]:
    """A function that reads a line at the prompt; None for Ctrl-D, KeyboardInterrupt for a second Ctrl-C in a row."""
    interrupted = False
    _completer(conversation)
    print(conversation.sheet.paint("type what the customer does; help lists the commands, Ctrl-D quits", "gutter"))

    def asked() -> str | None:
        nonlocal interrupted
        try:
            line = input(conversation.prompt)
        except EOFError:
            print()
            return None
        except KeyboardInterrupt:
            if interrupted:
                raise
            interrupted = True
            print(
                "\n"
                + conversation.sheet.paint("the session continues; press Ctrl-C again, or Ctrl-D, to quit", "gutter")
            )
            return ""
        interrupted = False
        return line

    return asked


def _completer(conversation: Repl) -> None:
    """Enable completion with the tab key, if the system has readline."""
    try:
        import readline
    except ImportError:
        return

    def complete(text: str, index: int) -> str | None:
        stays, found = completions(text, conversation)
        return f"{stays}{found[index]}" if index < len(found) else None

    def show(text: str, matches: Sequence[str], longest: int) -> None:
        stays, _ = completions(text, conversation)
        print("\n" + "\n".join(wrap_text("  ".join(match[len(stays) :] for match in matches), first=width, rest=width)))
        sys.stdout.write(conversation.prompt + readline.get_line_buffer())
        sys.stdout.flush()

    width = conversation.sheet.width
    readline.set_completer(complete)
    readline.set_completer_delims("")  # names contain spaces, so the whole line is completed
    is_libedit = "libedit" in (readline.__doc__ or "")
    if not is_libedit:
        readline.set_completion_display_matches_hook(show)
    readline.parse_and_bind("bind ^I rl_complete" if is_libedit else "tab: complete")


@click.command("session")
@click.argument("store", metavar="STORE")
@click.option("--script", metavar="FILE", help="Run the turns of a script file; - reads standard input.")
@click.option("--seed", type=int, default=0, show_default=True, help="Random seed.")
@click.option("--language", metavar="TAG", help="Language of the customer from the welcome on, such as es-US.")
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="PATH=VALUE",
    help="Session value that the client sends; may be repeated.",
)
@click.option(
    "--save-scenario",
    metavar="FILE",
    help="With --script: also write the session as a Scenario, which expects what the agent did.",
)
@click.option("--instructions", is_flag=True, help="Show the instructions and the tools of the agent.")
@AT
@workspace_options
def command(store: str, script: str | None, seed: int, settings: tuple[str, ...], **options: Any) -> int:
    """Simulate an order at a store, and show what the agent does and why.

    A STORE is a resource name or the end of one, such as its id. Without --script, the session is interactive;
    help lists the commands. In a script, each line is a turn:

    \b
      set session.partySize 4
      add 2 Classic Smash with No Onions, Extra Cheese
      say the usual; accept Loaded Fries
      done

    Exit code 1: check finds errors in the documents that the session uses.
    """
    if script is None and options["output_format"] == "json":
        raise UsageError("--output-format json needs a script; add --script FILE, or --script - for standard input")
    if script is None and options["save_scenario"]:
        raise UsageError("--save-scenario needs a script; in an interactive session, type save scenario FILE")
    source = None if script is None else read_script(script)
    trial = find_store(store, options)
    staging = SessionFactory(trial, seed, options["language"], parse_settings(settings))
    if errors := trial.errors():
        return report_store_errors(trial, errors, options)
    if source is not None:
        return _play_script(staging, source, options)

    return run_repl(staging, store_title(trial), options)


def _play_script(staging: SessionFactory, source: Source, options: dict[str, Any]) -> int:
    """Play a script and print the session. Raises UsageError."""
    lines = parse_script(source, staging.menu)
    settings, turns = split_settings(lines)
    try:
        session = staging.create_session(settings)
    except ActionError as error:
        line = next(line for line in lines if any(action is error.action for action in line.actions))
        raise invalid_script(source, [line.mistake_at(error.action, str(error))]) from error
    recorded: list[Turn] = []
    played = _turns(session, turns, source, recorded)
    if options["output_format"] == "json":
        content = session_object(staging.trial.store.name, session, played)
        write_utf8([json_text(content), "\n"])
    else:
        sheet = TextWriter(*page_layout(options["color"]))
        given, with_instructions = [*staging.settings, *settings], options["instructions"]
        title = store_title(staging.trial)
        header = session_header(title, session, session.begin, given, sheet, with_instructions=with_instructions)
        report = SessionReport(sheet)
        sys.stdout.writelines(chain(header, chain.from_iterable(report.turn(turn) for turn in played)))
    if options["save_scenario"]:
        save_scenario(options["save_scenario"], staging.scenario(session, settings, recorded))
    return 0


def _turns(session: Session, lines: Sequence[ScriptLine], source: Source, recorded: list[Turn]) -> Iterator[Turn]:
    """The welcome and the turns as they are played; each is put into `recorded` as well.

    Raises UsageError for an action that the session does not allow.
    """
    recorded.append(session.welcome())
    yield recorded[-1]
    for line in lines:
        try:
            recorded.append(session.turn(line.actions, line.text))
        except ActionError as error:
            sys.stdout.flush()
            raise invalid_script(source, [line.mistake_at(error.action, str(error))]) from error
        yield recorded[-1]
