"""Interactive sessions: at a terminal with prompt and completion, otherwise line by line from standard input."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from trialrun.cli.output import is_reader_gone
from trialrun.cli.session.meta_commands import COMMANDS
from trialrun.cli.session.repl_state import Repl
from trialrun.cli.session.session_text import session_header
from trialrun.cli.session.writer import TextWriter
from trialrun.cli.workspace_options import page_layout
from trialrun.report.wrap import wrap_text

if TYPE_CHECKING:
    from trialrun.cli.session.session_factory import SessionFactory


def run_repl(staging: SessionFactory, title: str, options: dict[str, Any]) -> int:
    """Run an interactive session until the input ends; returns the exit code."""
    sheet = TextWriter(*page_layout(options["color"]))
    conversation = Repl(staging, title, sheet, COMMANDS)
    session, with_instructions = conversation.session, options["instructions"]
    sys.stdout.writelines(
        session_header(title, session, session.begin, staging.settings, sheet, with_instructions=with_instructions)
    )
    sys.stdout.writelines(conversation.new_state_report().turn(conversation.turns[0].turn))
    asked = _terminal_lines(conversation) if sys.stdin.isatty() else _standard_input_lines()
    while not conversation.is_over and not is_reader_gone():
        sys.stdout.flush()
        line = asked()
        if line is None:
            break
        sys.stdout.writelines(conversation.answer(line))
    return 0


def _standard_input_lines() -> Callable[[], str | None]:
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    return lambda: sys.stdin.readline() or None


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
    from trialrun.cli.session.completion import completions

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
