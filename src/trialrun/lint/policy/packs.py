"""Where policies come from: the packs that are shipped, and the files and folders of a repository."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from hashlib import blake2b

from trialrun.errors import UsageError, did_you_mean, system_reason
from trialrun.guarded_path import Boundary, RefusedPath, TooManyEntries, listed_below, read_file
from trialrun.lazy_dataclass import dataclass
from trialrun.lint import registry
from trialrun.lint.policy import GROUP, NONE, Policies
from trialrun.lint.policy.parse_policy import ID, policies_of
from trialrun.lint.policy.policy import Policy, rule_of
from trialrun.lint.policy.policy_errors import Problems
from trialrun.parser import read
from trialrun.text import Span

ENDINGS = (".yaml", ".yml")
KEY = re.compile(rb"""^[\s\-{]*["']?(?:id|on|check|message)["']?\s*:""", re.MULTILINE)
"""What a file of policies has, even one that is not whole."""
MOST_BYTES = 2**20
MOST_POLICIES = 1_000
"""The size of a policy file, and the policies of a run: what they cost grows with both."""


@dataclass(frozen=True, slots=True)
class Named:
    """Texts that name policies: a shipped pack, or a file or folder, from `folder`; `by` says where they stand."""

    texts: Sequence[str]
    folder: str
    by: str


@dataclass(frozen=True, slots=True)
class PolicyFile:
    """A policy file: its whole path, its path for people, and its bytes."""

    path: str
    shown: str
    data: bytes


@cache
def shipped() -> dict[str, str]:
    """The folders of the shipped packs, by their names."""
    folder = os.path.join(registry.rules_folder(), GROUP)
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    return {name: os.path.join(folder, name) for name in names if os.path.isdir(os.path.join(folder, name))}


def policies(named: Sequence[Named]) -> Policies:
    """The policies that are named, each file once. Raises UsageError, and BrokenPolicies with all that is wrong."""
    if not any(one.texts for one in named):
        return NONE
    return read_policies(tuple(_files(named)))


@lru_cache(maxsize=4)
def read_policies(files: tuple[PolicyFile, ...]) -> Policies:
    """The policies of files. Raises BrokenPolicies with all that is wrong in all of them."""
    problems, found, taken = Problems(), list[Policy](), _names_of_others()
    for file in files:
        tree = read(file.data, file.shown, max_bytes=MOST_BYTES)
        found += policies_of(tree, taken, problems)
        if len(found) > MOST_POLICIES:
            problems.tell(tree.source, Span(0, 0), f"a run has at most {MOST_POLICIES} policies; leave some out")
            break
    problems.close()
    rules = {policy.id: rule_of(policy) for policy in found}
    return Policies(tuple(found), rules, _digest(found), frozenset(file.path for file in files))


def name_problem(name: str) -> str | None:
    """Why a policy cannot be called so; None where it can."""
    if not ID.fullmatch(name):
        return f'"{name}" is no id; write lower-case words with hyphens between them'
    other = _names_of_others().get(name)
    return other and f'"{name}" is {other} already; name the policy otherwise'


def _names_of_others() -> dict[str, str]:
    """What selections call by a name that is no policy's."""
    groups = (*registry.GROUPS, GROUP)
    names = dict.fromkeys(registry.files(), "a rule")
    names |= dict.fromkeys([*groups, *(group.replace("_", "-") for group in groups)], "a group of rules")
    return names | {"all": "a group of rules"}


def _digest(found: Sequence[Policy]) -> str:
    # not the line and the path, which only messages of our own faults name
    told = [(policy.id, policy.on, policy.at, int(policy.severity), policy.check, policy.message) for policy in found]
    more = [policy.message_expression for policy in found]
    return blake2b(repr((told, more)).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def _files(named: Sequence[Named]) -> Iterator[PolicyFile]:
    """The files that the texts name, each once."""
    seen: set[str] = set()
    for one in named:
        for text in one.texts:
            named_in = shipped().get(text, one.folder or os.curdir)
            for file in _named(text, one.folder, one.by):
                if (real := os.path.realpath(file)) not in seen:
                    seen.add(real)
                    yield PolicyFile(os.path.abspath(file), _shown(file), _bytes(file, named_in, one.by))


def _named(text: str, folder: str, told_by: str) -> list[str]:
    if text in shipped():
        return _below(shipped()[text])
    path = os.path.join(folder, text)
    if not text or not os.path.lexists(path):  # an empty text would be the folder itself: a variable that is not set
        packs = ", ".join(shipped())
        near = did_you_mean(text, shipped()) or f"; name a file, a folder or one of {packs}"
        raise UsageError(f'{told_by}: there are no policies at "{text}"{near}')
    if not os.path.isdir(path):
        return [path]
    try:
        Boundary.around(folder or os.curdir).resolve(path)
        found = _below(path)
    except (RefusedPath, TooManyEntries) as error:
        reason = system_reason(error) if isinstance(error, RefusedPath) else "it has too many files"
        raise UsageError(f'{told_by}: "{text}": {reason}') from error
    if not found:
        raise UsageError(f'{told_by}: the folder "{text}" has no policy files; they end in {" or ".join(ENDINGS)}')
    return found


def _below(folder: str) -> list[str]:
    """The policy files of a folder and the folders below it, sorted."""
    return sorted(file for file in listed_below(folder) if file.endswith(ENDINGS))


def _bytes(file: str, folder: str, told_by: str) -> bytes:
    """The bytes of a file, at most one more than it may have; a pipe, which may never end, is none."""
    if os.path.exists(file) and not os.path.isfile(file):
        raise UsageError(f"{told_by}: {_shown(file)} is no regular file; name one that is")
    try:
        data = read_file(file, MOST_BYTES, named_in=folder)
    except OSError as error:
        raise UsageError(f"{told_by}: {_shown(file)} cannot be read: {system_reason(error)}") from error
    if not KEY.search(data) and b"\0" not in data:  # another file, whose text an error would show
        raise UsageError(f"{told_by}: {_shown(file)} has no policy; name a file with an id and a check")
    return data


def _shown(file: str) -> str:
    """A path as a person would write it: relative to the working directory where it lies below it."""
    here, whole = os.path.join(os.getcwd(), ""), os.path.abspath(file)
    return whole.removeprefix(here).replace(os.sep, "/")
