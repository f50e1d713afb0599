"""How every command is carried out, and how it ends."""

from __future__ import annotations

import errno
import sys
from collections.abc import Callable, Sequence

from trialrun.cli.output import open_streams, report_error
from trialrun.errors import INTERNAL_ERROR_EXIT, INTERRUPTED_EXIT, USAGE_EXIT, UsageError
from trialrun.version import __version__

CHECK, LSP = "check", "lsp"


def main(arguments: Sequence[str]) -> int:
    """Carry out a command; the exit code of the contract."""
    try:
        open_streams()
        code = _carry_out(arguments)
        sys.stdout.flush()
    except UsageError as error:
        report_error(error)
        return USAGE_EXIT
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return INTERRUPTED_EXIT
    except Exception as error:  # noqa: BLE001 - an internal error, which is reported with exit code 3
        return _store_error_exit(error) or _report_internal_error()
    return code


def _carry_out(arguments: Sequence[str]) -> int:
    """Carry out a plain check or editor server without click, any other command by it."""
    if arguments and arguments[0] == CHECK:
        from trialrun.cli.check import CHECK_OPTIONS, run_check
        from trialrun.cli.options import plain_arguments

        if (plain := plain_arguments(arguments[1:], CHECK_OPTIONS)) is not None:
            return _as_click_ends(lambda: run_check(*plain))
    if arguments and arguments[0] == LSP:
        from trialrun.cli.lsp import is_plain, run_lsp

        if is_plain(arguments[1:]):
            return _as_click_ends(run_lsp)
    from trialrun.cli.program import run_program

    return run_program(arguments)


def _as_click_ends(command: Callable[[], int]) -> int:
    """Run a command; where it is interrupted, or nobody reads what it writes, it ends as click lets it end."""
    try:
        return command()
    except (EOFError, KeyboardInterrupt) as error:
        print(file=sys.stderr)  # ends the line of a terminal's ^C
        raise KeyboardInterrupt from error
    except OSError as error:
        if error.errno == errno.EPIPE:
            sys.exit(1)
        raise


def _store_error_exit(error: Exception) -> int | None:
    """The exit code where a store cannot be used, whichever command came upon it; None for any other error."""
    if "trialrun.runtime.feature_view.store.interface" not in sys.modules:
        return None
    from trialrun.errors import StoreError

    if not isinstance(error, StoreError):
        return None

    report_error(UsageError(str(error)))
    return USAGE_EXIT


def _report_internal_error() -> int:
    import traceback

    traceback.print_exc()
    print(
        f"trialrun {__version__} failed; this is a bug in trialrun: please report it with the lines above",
        file=sys.stderr,
    )
    return INTERNAL_ERROR_EXIT
