"""What git says about a workspace."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator

from trialrun.record import dataclass
from trialrun.usage import UsageError

OF_ONE_REPOSITORY = frozenset({"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX"})
FILE_MODES = (b"100644", b"100755")


@dataclass(frozen=True, slots=True)
class Change:
    """A file that differs from a revision: its whole path then and now, None where it is no file.

    `blob` is the object of its bytes at the revision.
    """

    before: str | None
    after: str | None
    blob: bytes | None


def git(folder: str, *words: str, given: bytes | None = None) -> bytes | None:
    """What a command of git prints in a folder; None where there is no git, or where it fails."""
    done = ran(folder, *words, given=given)
    return done.stdout if done is not None and done.returncode == 0 else None


def ran(folder: str, *words: str, given: bytes | None = None) -> subprocess.CompletedProcess[bytes] | None:
    """How a command of git ended in a folder, and what it told; None where there is no git."""
    command = ["git", "-C", folder, *words]
    try:
        return subprocess.run(command, capture_output=True, check=False, env=environment(), input=given or b"")
    except OSError:
        return None


def environment() -> dict[str, str]:
    """Our environment without what points at one repository, as in a hook: the folder says which one is asked.

    What git tells, it tells in English.
    """
    return {name: value for name, value in os.environ.items() if name not in OF_ONE_REPOSITORY} | {"LC_ALL": "C"}


@dataclass(frozen=True, slots=True)
class Revision:
    """A commit of the repository whose top folder is `top`."""

    top: str
    commit: str

    def changes(self) -> Iterator[Change]:
        """The files that differ from the revision in the working tree, new ones that git does not ignore included."""
        told = git(self.top, "diff", "--raw", "-z", "-M", "--no-abbrev", "--no-ext-diff", self.commit, "--")
        others = git(self.top, "ls-files", "-z", "--others", "--exclude-standard")
        if told is None or others is None:
            raise UsageError(f"--since: git does not say what has changed since {self.commit}")
        yield from self._changes(iter(told.split(b"\0")))
        for name in filter(None, others.split(b"\0")):
            yield Change(None, self._file(name), None)

    def _changes(self, parts: Iterator[bytes]) -> Iterator[Change]:
        """Read the raw form of a diff: modes, objects and a letter, then one path, or two for a renamed file."""
        for part in parts:
            if not part:
                return
            mode_before, mode_after, blob, _, letter = part.lstrip(b":").split()
            before = after = self._file(next(parts))
            if letter[:1] in b"RC":
                after = self._file(next(parts))
            was_file = mode_before in FILE_MODES and letter[:1] != b"C"
            yield Change(
                before if was_file else None, after if mode_after in FILE_MODES else None, blob if was_file else None
            )

    def _file(self, name: bytes) -> str:
        return os.path.join(self.top, os.fsdecode(name))

    def texts(self, blobs: Iterable[bytes]) -> dict[bytes, bytes]:
        """The bytes of objects of the repository."""
        wanted = sorted(set(blobs))
        told = git(self.top, "cat-file", "--batch", given=b"".join(blob + b"\n" for blob in wanted)) or b""
        found: dict[bytes, bytes] = {}
        at = 0
        for blob in wanted:
            end = told.index(b"\n", at)
            size = int(told[at:end].split()[2])
            found[blob] = told[end + 1 : end + 1 + size]
            at = end + size + 2
        return found


def revision(folder: str, name: str) -> Revision:
    """The revision of a name, as git has them; `NAME...` is where NAME and HEAD parted. Raises UsageError."""
    top = _top(folder)
    if name.endswith("..."):
        told = git(folder, "merge-base", "--end-of-options", name[:-3] or "HEAD", "HEAD")
    else:
        told = git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}")
    if told is None:
        raise UsageError(
            f"--since: git knows no revision {name} here; fetch it first (a shallow clone has only the newest commits)"
        )
    return Revision(top, told.decode().split()[-1])


def _top(folder: str) -> str:
    """The top folder of the repository, reached as `folder` is: git itself tells it without symbolic links.

    Raises UsageError in git's own words: a repository may be there and belong to somebody else, as in a container.
    """
    done = ran(folder, "rev-parse", "--show-toplevel", "--show-prefix")
    if done is None:
        raise UsageError("--since: git is not installed; install it")
    if done.returncode != 0:
        why = " ".join(os.fsdecode(done.stderr).removeprefix("fatal: ").split())
        raise UsageError(f"--since: git does not open this folder: {why}")
    top, prefix = (os.fsdecode(line) for line in done.stdout.split(b"\n")[:2])
    inside = os.path.join(os.path.abspath(folder), "")
    return inside[: len(inside) - len(prefix)].rstrip("/") or "/" if inside.endswith("/" + prefix) else top
