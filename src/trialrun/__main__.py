"""`python -m trialrun` is `trialrun`.

Python puts the working directory first among the folders to import from, which may be that of a stranger's repository.
It is taken away before anything more is imported, unless it is the folder that our package is in.
"""

import os
import sys


def leave_out_working_directory() -> None:
    """Import nothing more from the working directory, which `python -m` has put first."""
    try:
        here = os.getcwd()
    except OSError:  # it is gone, as the command then says
        return
    home = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    first = os.path.abspath(sys.path[0]) if sys.path else home
    if not sys.flags.safe_path and first == here and os.path.realpath(first) != os.path.realpath(home):
        del sys.path[0]


if __name__ == "__main__":
    leave_out_working_directory()
    from trialrun.cli import run

    run()
