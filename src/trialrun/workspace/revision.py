"""A git revision: the changes since, and the contents of files at the revision."""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from trialrun.errors import UsageError
from trialrun.git import Answer, NoAnswer, disable_filter_switches, part_outside, run_git
from trialrun.guarded_path import TooManyEntries
from trialrun.repository import ForeignRepository, Repository, find_repository, top_as_reached
from trialrun.text import MAX_BYTES

FILE_MODES = (b"100644", b"100755")
PARENT_NAMES = ("HEAD^", "HEAD~", "HEAD~1", "HEAD^1", "@^", "@~", "@~1")
MIN_ZEROS = 40
NO_MERGE_BASE = 1
"""The exit code of `git merge-base` for two commits without a common one; unknown names have another."""
MAX_TEXTS = 512 * 2**20
"""Total bytes of the files of a revision: a small pack may contain many gigabytes."""
MAX_BLOBS = 1000
_SMALLER = {"--since": "check without --since"}
DIFF = ("diff", "--raw", "-z", "-M", "-l1000", "--no-abbrev", "--no-ext-diff", "--no-textconv")


@cache
def _too_large() -> bytes:
    """What replaces a text that is too large for a document."""
    return b" " * (MAX_BYTES + 1)


@dataclass(frozen=True, slots=True)
class Change:
    """A file that differs from a revision: its absolute path then and now, None if it is not a file.

    `blob` is the object id of its content at the revision.
    """

    before: str | None
    after: str | None
    blob: bytes | None


@dataclass(frozen=True, slots=True)
class Revision:
    """A commit of a repository, whose work tree is at `top`; `option` is what asked for it, for messages."""

    repository: Repository
    top: str
    commit: str
    option: str = "--since"

    def changes(self) -> Iterator[Change]:
        """The files of the working tree that differ from the revision, including new ones that git does not ignore."""
        of_files = disable_filter_switches(self.repository)
        if isinstance(of_files, NoAnswer):
            raise UsageError(f"{self.option}: {of_files.reason}")
        diff = self._output(*DIFF, "--ignore-submodules=all", self.commit, "--", switches=of_files)
        others = self._output("ls-files", "-z", "--others", "--exclude-standard")
        yield from self._changes(iter(diff.split(b"\0")))
        for name in filter(None, others.split(b"\0")):
            yield Change(None, self._file(name), None)

    def _changes(self, parts: Iterator[bytes]) -> Iterator[Change]:
        """Parse the raw diff format: modes, objects and a status, then one path, or two for a rename."""
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
        """The contents of objects; larger ones than a document may be are truncated."""
        return dict(self.each_text(set(blobs), most=MAX_TEXTS))

    def each_text(self, blobs: Iterable[bytes], *, most: int) -> Iterator[tuple[bytes, bytes]]:
        """The contents of objects, in bounded memory. Raises UsageError if they have more than `most` bytes in total.

        An object that is given several times is counted each time.
        """
        times = Counter(blobs)
        sizes = self._sizes(sorted(times))
        if sum(size * times[blob] for blob, size in sizes.items() if size <= MAX_BYTES) > most:
            many = f"the files of {self.commit} have more than {most // 2**20} MB"
            raise UsageError(f"{self.option}: {many}; {_SMALLER.get(self.option, 'name a later revision')}")
        yield from ((blob, _too_large()) for blob, size in sizes.items() if size > MAX_BYTES)
        for batch in _batches({blob: size for blob, size in sizes.items() if size <= MAX_BYTES}):
            yield from self._batch(batch)

    def _batch(self, sizes: Mapping[bytes, int]) -> Iterator[tuple[bytes, bytes]]:
        """The contents of some objects, from one call of git."""
        output = memoryview(self._output("cat-file", "--batch", given=_lines(sizes)))
        at = 0
        for blob, size in sizes.items():
            start = at + len(f"{blob.decode()} blob {size}\n")
            yield blob, bytes(output[start : start + size])
            at = start + size + 1

    def _sizes(self, blobs: list[bytes]) -> dict[bytes, int]:
        """The sizes of objects, read before their contents. Raises UsageError if one is missing."""
        lines = self._output("cat-file", "--batch-check=%(objectsize)", given=_lines(blobs)).splitlines()
        if len(lines) != len(blobs) or not all(line.isdigit() for line in lines):
            raise UsageError(f"{self.option}: files of {self.commit} are not in this clone; fetch them first")
        return {blob: int(line) for blob, line in zip(blobs, lines, strict=True)}

    def files(self) -> dict[str, bytes]:
        """The object ids of all files of the revision, by path from the top."""
        entries = (entry.partition(b"\t") for entry in self._output("ls-tree", "-r", "-z", self.commit).split(b"\0"))
        parts = [(about.split(), name) for about, _, name in entries if name]
        return {os.fsdecode(name): about[2] for about, name in parts if about[0] in FILE_MODES}

    def _output(self, *words: str, given: bytes = b"", switches: tuple[str, ...] = ()) -> bytes:
        answer = run_git(self.repository, *words, given=given, switches=switches)
        if isinstance(answer, Answer) and answer.code == 0:
            return answer.out
        why = f": {answer.reason}" if isinstance(answer, NoAnswer) else ""
        raise UsageError(f"{self.option}: git cannot list the changes since {self.commit}{why}")


def revision(folder: str, name: str, *, option: str = "--since", merged_with: str | None = None) -> Revision:
    """Resolve a revision name; `NAME...` is the merge base of NAME and HEAD. Raises UsageError.

    With `merged_with`, it is the merge base of the name and this one. `option` begins the messages.
    """
    repository = _repository(folder, option)
    if merged_with is None and name.endswith("..."):
        name, merged_with, whole_name = name[:-3] or "HEAD", "HEAD", name
    else:
        whole_name = name
    if not name:
        raise UsageError(f"{option}: the name of the revision is empty; name one, such as HEAD or origin/main")
    if merged_with is not None:
        answer = run_git(repository, "merge-base", "--end-of-options", name, merged_with)
    else:
        answer = run_git(repository, "rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}")
    if isinstance(answer, NoAnswer):
        raise UsageError(f"{option}: {answer.reason}{'; install it' if 'installed' in answer.reason else ''}")
    if merged_with is not None and answer.code == NO_MERGE_BASE:
        raise UsageError(
            f"{option}: {name} and {merged_with} have no commit in common; fetch more of their history "
            "(a shallow clone has only the newest commits)"
        )
    if answer.code != 0 and (tree := _resolve_tree(repository, whole_name, is_merge_base=merged_with is not None)):
        return Revision(repository, top_as_reached(folder, repository), tree, option)
    if answer.code != 0:
        shown = whole_name if merged_with in (None, "HEAD") else f"{name}...{merged_with}"
        advice = "fetch it first (a shallow clone has only the newest commits)"
        if ".." in name or name.startswith(".") or (merged_with or "").startswith("."):
            advice = "git has no such names of revisions"
        raise UsageError(f"{option}: unknown revision {shown}; {advice}")
    return Revision(repository, top_as_reached(folder, repository), answer.out.decode().split()[-1], option)


def _resolve_tree(repository: Repository, name: str, *, is_merge_base: bool) -> str | None:
    """The tree of a name that is not a commit: of a tree, or the empty one before the first commit.

    A tree has no history, and so no merge base.
    """
    if not is_merge_base:
        named = _line(repository, "rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{tree}")
        if named:
            return named
    if not _is_before_the_first(repository, name):
        return None
    return _line(repository, "hash-object", "-t", "tree", "--stdin")


def _is_before_the_first(repository: Repository, name: str) -> bool:
    """Whether a name means the state before the first commit."""
    if set(name) == {"0"} and len(name) >= MIN_ZEROS:  # the name that CI systems pass for a new branch
        return True
    parents = _line(repository, "rev-list", "--parents", "-1", "HEAD")
    if parents is None:
        return name.removesuffix("...") in ("HEAD", "")
    is_first = " " not in parents and _line(repository, "rev-parse", "--is-shallow-repository") == "false"
    return is_first and name in PARENT_NAMES


def _line(repository: Repository, *words: str) -> str | None:
    answer = run_git(repository, *words)
    return answer.out.decode().strip() if isinstance(answer, Answer) and answer.code == 0 else None


def _repository(folder: str, option: str) -> Repository:
    repository = find_repository(folder)
    if repository is None:
        raise UsageError(f"{option}: this folder is not in a git repository")
    if isinstance(repository, ForeignRepository):
        raise UsageError(f"{option}: {repository.advice}")
    try:
        part = part_outside(repository)
    except (TooManyEntries, OSError) as error:
        raise UsageError(f"{option}: the files of {repository.git_dir} cannot be looked through; run git gc") from error
    if part is not None:
        folder = part if os.path.isdir(part) else os.path.dirname(part)
        leads = f"the git repository {repository.top} leads out of its folder, to {part}"
        raise UsageError(f"{option}: {leads}; if you know why, allow it with --allow-path {shlex.quote(folder)}")
    return repository


def _batches(sizes: Mapping[bytes, int]) -> Iterator[dict[bytes, int]]:
    """The objects in batches far below the output limit for a call of git."""
    batch: dict[bytes, int] = {}
    for blob, size in sizes.items():
        if batch and (sum(batch.values()) + size > MAX_BYTES or len(batch) >= MAX_BLOBS):
            yield batch
            batch = {}
        batch[blob] = size
    if batch:
        yield batch


def _lines(blobs: Iterable[bytes]) -> bytes:
    return b"".join(blob + b"\n" for blob in blobs)
