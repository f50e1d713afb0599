"""Finds and loads policies: shipped packs, and files and folders of a repository."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import blake2b

from trialrun.errors import UsageError, os_error_reason
from trialrun.guarded_path import Boundary, RefusedPath, TooManyEntries, files_below, read_file
from trialrun.lint import registry
from trialrun.lint.policy import GROUP, NONE, Policies
from trialrun.lint.policy.parse_policy import name_problem, parse_policies
from trialrun.lint.policy.policy import Policy
from trialrun.lint.policy.policy_document import PolicyErrors
from trialrun.lint.rule import Rule
from trialrun.parser import parse
from trialrun.text import Span
from trialrun.values.suggest import did_you_mean
from trialrun.working_folder import absolute_path, real_path, working_folder

FILE_EXTENSIONS = (".yaml", ".yml")
POLICY_KEY = re.compile(rb"""^[\s\-{]*["']?(?:id|on|check|message)["']?\s*:""", re.MULTILINE)
"""What a file of policies has, even one that is not whole."""
MAX_BYTES = 2**20
MAX_POLICIES = 1_000
"""Maximum size of a policy file, and number of policies in a run."""


@dataclass(frozen=True, slots=True)
class PolicyFile:
    """A policy file: its absolute path, its displayed path and its bytes."""

    path: str
    display_path: str
    data: bytes


@cache
def shipped_packs() -> dict[str, str]:
    """The folders of the shipped packs, by name."""
    folder = os.path.join(registry.rules_folder(), GROUP)
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    return {name: os.path.join(folder, name) for name in names if os.path.isdir(os.path.join(folder, name))}


def load_policies(files: Iterable[PolicyFile]) -> Policies:
    """Load the policies of files, each once. Raises UsageError with all problems."""
    by_path: dict[str, PolicyFile] = {}
    for file in files:
        by_path.setdefault(real_path(file.path), file)
    return read_policies(tuple(by_path.values())) if by_path else NONE


@lru_cache(maxsize=4)
def read_policies(files: tuple[PolicyFile, ...]) -> Policies:
    """Read policies from files. Raises UsageError with the problems of all files."""
    problems, policies, taken_names = PolicyErrors(), list[Policy](), _reserved_names()
    for file in files:
        tree = parse(file.data, file.display_path, max_bytes=MAX_BYTES)
        policies += parse_policies(tree, taken_names, problems)
        if len(policies) > MAX_POLICIES:
            problems.add(tree.source, Span(0, 0), f"a run has at most {MAX_POLICIES} policies; leave some out")
            break
    problems.raise_if_any()
    rules: dict[str, Rule] = {}
    for policy in policies:
        doc = policy.doc or f"{policy.message[:1].upper()}{policy.message[1:]}."
        rules[policy.id] = Rule(policy.id, GROUP, policy.severity, True, {}, (), (), policy.path, doc)
    return Policies(tuple(policies), rules, _digest(policies), frozenset(file.path for file in files))


def reason_against_name(name: str) -> str | None:
    """Why a policy cannot have a name, or None."""
    return name_problem(name, _reserved_names())


def _reserved_names() -> dict[str, str]:
    """Names that selections use for something else, with what that is."""
    groups = (*registry.GROUPS, GROUP)
    names = dict.fromkeys(registry.files(), "a rule")
    names |= dict.fromkeys([*groups, *(group.replace("_", "-") for group in groups)], "a group of rules")
    return names | {"all": "a group of rules"}


def _digest(policies: Sequence[Policy]) -> str:
    # not the line and the path, which only appear in internal errors
    content = [
        (policy.id, policy.on, policy.at, int(policy.severity), policy.check, policy.message) for policy in policies
    ]
    parameters = [[(each.name, each.type, each.default) for each in policy.parameters] for policy in policies]
    more = [
        (policy.message_expression, policy.scope, policy.once, taken)
        for policy, taken in zip(policies, parameters, strict=True)
    ]
    return blake2b(repr((content, more)).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def policy_files(texts: Iterable[str], folder: str, origin: str) -> Iterator[PolicyFile]:
    """The files that texts name: a shipped pack, or a file or folder relative to `folder`. Raises UsageError.

    `origin` is where the texts are written, for messages.
    """
    for text in texts:
        named_in = shipped_packs().get(text, folder or os.curdir)
        for file in _resolve_reference(text, folder, origin):
            yield PolicyFile(absolute_path(file), _display_path(file), _read_policy_file(file, named_in, origin))


def _resolve_reference(text: str, folder: str, told_by: str) -> list[str]:
    if text in shipped_packs():
        return _policy_files_below(shipped_packs()[text])
    path = os.path.join(folder, text)
    if not text or not os.path.lexists(path):  # an empty text would be the folder itself: a variable that is not set
        packs = ", ".join(shipped_packs())
        near = did_you_mean(text, shipped_packs()) or f"; name a file, a folder or one of {packs}"
        raise UsageError(f'{told_by}: there are no policies at "{text}"{near}')
    if not os.path.isdir(path):
        return [path]
    try:
        Boundary.around(folder or os.curdir).resolve(path)
        found = _policy_files_below(path)
    except (RefusedPath, TooManyEntries) as error:
        reason = os_error_reason(error) if isinstance(error, RefusedPath) else "it has too many files"
        raise UsageError(f'{told_by}: "{text}": {reason}') from error
    if not found:
        raise UsageError(
            f'{told_by}: the folder "{text}" has no policy files; they end in {" or ".join(FILE_EXTENSIONS)}'
        )
    return found


def _policy_files_below(folder: str) -> list[str]:
    """The policy files in and below a folder, sorted."""
    return sorted(file for file in files_below(folder) if file.lower().endswith(FILE_EXTENSIONS))


def _read_policy_file(file: str, folder: str, told_by: str) -> bytes:
    """The bytes of a file, at most one more than the limit; refuses pipes, which may never end."""
    if os.path.exists(file) and not os.path.isfile(file):
        raise UsageError(f"{told_by}: {_display_path(file)} is not a regular file; name a regular file")
    try:
        data = read_file(file, MAX_BYTES, named_in=folder)
    except OSError as error:
        raise UsageError(f"{told_by}: {_display_path(file)} cannot be read: {os_error_reason(error)}") from error
    if not POLICY_KEY.search(data) and b"\0" not in data:  # another file, whose text an error would show
        raise UsageError(f"{told_by}: {_display_path(file)} has no policy; name a file with an id and a check")
    return data


def _display_path(file: str) -> str:
    """The path to display: relative to the working directory if the file is below it."""
    here, whole = os.path.join(working_folder(), ""), absolute_path(file)
    return whole.removeprefix(here).replace(os.sep, "/")
