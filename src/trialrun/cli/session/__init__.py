"""`trialrun session STORE`: what the agent does in a session there, by a script or as you type."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from trialrun.cli.output import write_utf8
from trialrun.cli.store_lookup import refused, store_called, title_of_store
from trialrun.cli.workspace_options import AT, page, trial_options
from trialrun.errors import UsageError
from trialrun.report.json_encoding import json_text

if TYPE_CHECKING:
    from trialrun.cli.session.session_factory import Staging
    from trialrun.runtime.channel_config.script import ScriptLine
    from trialrun.runtime.channel_config.session.actions import SetState
    from trialrun.runtime.channel_config.session.session import Session
    from trialrun.runtime.channel_config.session.turn import Turn
    from trialrun.text import Source


@click.command("session")
@click.argument("store", metavar="STORE")
@click.option("--script", metavar="FILE", help="Play the turns of a file, - for standard input.")
@click.option("--seed", type=int, default=0, show_default=True, help="What chance goes by: the drawn messages.")
@click.option("--language", metavar="TAG", help="The language of the customer from the welcome on, such as es-US.")
@click.option("--set", "settings", multiple=True, metavar="PATH=VALUE", help="What the client sends; may be repeated.")
@click.option("--instructions", is_flag=True, help="Show the instructions and the tools of the agent.")
@AT
@trial_options
def command(store: str, script: str | None, seed: int, settings: tuple[str, ...], **options: Any) -> int:
    """Play an order at a store, and show what the agent does and why.

    A STORE is a resource name or the end of one, such as its id. Without --script, type what the customer does:
    help tells how. In a script each line is a turn:

    \b
      set session.partySize 4
      add 2 Classic Smash with No Onions, Extra Cheese
      say the usual; accept Loaded Fries
      done

    Exit code 1: check finds errors in the documents that the session goes by.
    """
    from trialrun.cli.session.script_file import script_in
    from trialrun.cli.session.session_factory import Staging, settings_of

    if script is None and options["output_format"] == "json":
        raise UsageError("json is for scripts; add --script FILE, or --script - for standard input")
    source = None if script is None else script_in(script)
    trial = store_called(store, options)
    staging = Staging(trial, seed, options["language"], settings_of(settings))
    if errors := trial.verdict():
        return refused(trial, errors, options)
    if source is not None:
        return _played(staging, source, options)
    from trialrun.cli.session.repl import converse

    return converse(staging, title_of_store(trial), options)


def _played(staging: Staging, source: Source, options: dict[str, Any]) -> int:
    """Play a script and show it. Raises WrongScript."""
    from trialrun.cli.session.script_file import WrongScript, lines_of
    from trialrun.runtime.channel_config.script import divided
    from trialrun.runtime.channel_config.session.actions import CannotMove

    lines = lines_of(source, staging.menu)
    settings, turns = divided(lines)
    try:
        session = staging.session(settings)
    except CannotMove as error:
        line = next(one for one in lines if any(move is error.move for move in one.moves))
        raise WrongScript(source, [line.mistake(error.move, str(error))]) from error
    played = _turns(session, turns, source)
    if options["output_format"] == "json":
        from trialrun.outputs.session import session_object

        told = session_object(staging.trial.store.name, session, played)
        write_utf8([json_text(told), "\n"])
    else:
        sys.stdout.writelines(_text(staging, session, settings, played, options))
    return 0


def _turns(session: Session, lines: Sequence[ScriptLine], source: Source) -> Iterator[Turn]:
    """The welcome and the turns. Raises WrongScript at a move that the session does not allow."""
    from trialrun.cli.session.script_file import WrongScript
    from trialrun.runtime.channel_config.session.actions import CannotMove

    yield session.welcome()
    for line in lines:
        try:
            yield session.turn(line.moves, line.text)
        except CannotMove as error:
            sys.stdout.flush()
            raise WrongScript(source, [line.mistake(error.move, str(error))]) from error


def _text(
    staging: Staging, session: Session, settings: Sequence[SetState], turns: Iterator[Turn], options: dict[str, Any]
) -> Iterator[str]:
    from trialrun.cli.session.session_text import Report, beginning
    from trialrun.cli.session.writer import Sheet

    sheet = Sheet(*page(options["color"]))
    sent = [*staging.settings, *settings]
    title = title_of_store(staging.trial)
    yield from beginning(title, session, session.begin, sent, sheet, told=options["instructions"])
    report = Report(sheet)
    for turn in turns:
        yield from report.turn(turn)
