"""The settings of a workspace, and the rules for a path: edition, settings, overrides, command line."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from trialrun.diagnostic import Severity
from trialrun.errors import UsageError
from trialrun.lint import registry
from trialrun.lint.file_result import ALWAYS_REPORTED
from trialrun.lint.policy import GROUP, NONE, Policies
from trialrun.lint.selection import NEWEST, Selection, default_rules
from trialrun.lint.settings.globs import matches
from trialrun.working_folder import display_path, relative_path, working_folder

if TYPE_CHECKING:
    from trialrun.lint.settings.lines import Problem, SettingsText


SEVERITIES = {severity.word: severity for severity in Severity}


class IgnoreTable(NamedTuple):
    """A suppression in the settings: for findings of `rules` at or below `pointer`, in files that match a glob.

    `key` and `number` identify its table: `[[suppress]]`, or its old name `[[ignore]]`.
    """

    path: str
    rules: tuple[str, ...]
    pointer: str = ""
    reason: str = ""
    until: str | None = None
    key: str = "suppress"
    number: int = 0


@dataclass(frozen=True)
class Settings:
    """The settings of a file, or for some paths only; `file` is None if there is none.

    Paths and globs are relative to the folder of the file, with `/`. `runtime` is for trial runs, not for rules.
    `overrides` are for files that match one of the globs of their `paths`; they have what may differ by path, and later
    ones win.
    """

    file: str | None = None
    edition: str | None = None
    paths: tuple[str, ...] = ()
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    policy_parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    session_schema: str | None = None
    policies: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    kinds: Mapping[str, str] = field(default_factory=dict)
    baseline: str | None = None
    runtime: Mapping[str, Any] = field(default_factory=dict)
    change_levels: Mapping[str, str] = field(default_factory=dict)
    overrides: tuple[Settings, ...] = ()
    ignore_tables: tuple[IgnoreTable, ...] = ()
    hints: tuple[str, ...] = ()
    """Hints about outdated settings, each with file and line."""
    text: SettingsText | None = None
    """The text of the file, for messages with lines."""

    @property
    def folder(self) -> str:
        """The folder that paths are relative to: that of the file, else the working directory."""
        return os.path.dirname(self.file) if self.file else working_folder()

    def layers(self) -> Iterator[tuple[tuple[str | int, ...], Settings]]:
        """These settings and each of the overrides, with the path of its table in the file."""
        yield (), self
        for at, override in enumerate(self.overrides):
            yield ("overrides", at), override

    @property
    def baseline_file(self) -> str | None:
        """The whole path of the baseline."""
        return None if self.baseline is None else os.path.join(self.folder, self.baseline)


OF_TRIAL_RUNS = ("list-merge", "message-draw")
"""Options of trial runs that rules also use."""


class Profiles:
    """The selections of a workspace by path; rules selected on the command line are enabled for every path.

    `policies` of the command line are resolved from the working directory and added to those of the settings. Raises
    UsageError for an unknown rule, and with all problems of policies.
    """

    def __init__(
        self, settings: Settings, select: Sequence[str] = (), ignore: Sequence[str] = (), policies: Sequence[str] = ()
    ) -> None:
        self.settings = settings
        self._command_line = (select, ignore, policies)
        self.policies = _policies(settings, policies)
        self._select = expanded(select, "--select", self.policies)
        self._ignore = expanded(ignore, "--ignore", self.policies)
        problems = _rule_problems(settings, self.policies)
        if problems and settings.text:
            raise settings.text.error(problems)
        self._made: dict[tuple[int, ...], Selection] = {}
        self._gathered = self._across_files()

    @property
    def whole(self) -> Selection:
        """The selection for paths without overrides."""
        return self._selection(())

    @property
    def inputs(self) -> str:
        """What the selections of paths, and the kinds by path, are made of beside the rules."""
        settings = self.settings
        return repr((settings.folder, settings.overrides, settings.kinds, self._command_line))

    def of(self, path: str) -> Selection:
        """The selection for a displayed path, relative to the working directory."""
        return self._selection(self._matching(path))

    def under(self, edition: str) -> Profiles:
        """The same under another edition."""
        return Profiles(replace(self.settings, edition=edition), *self._command_line)

    def kind_by_glob(self, path: str) -> str | None:
        """The kind that the first matching glob of the settings gives to a path."""
        if not self.settings.kinds:
            return None
        settings_path = self.path_of_settings(path)
        return next((kind for glob, kind in self.settings.kinds.items() if matches([glob], settings_path)), None)

    def severity_of(self, rule: str) -> str:
        """The default severity of a rule or policy."""
        known = self.policies.rules.get(rule) or registry.load(rule)
        return known.severity.word

    def path_of_settings(self, path: str) -> str:
        """A displayed path converted to one relative to the folder of the settings file."""
        return relative_path(path, self.settings.folder).replace(os.sep, "/")

    def _across_files(self) -> frozenset[str]:
        """The rules across files that are enabled for some path: their facts are gathered from every path."""
        every = [self._rules(())] + [self._rules((at,)) for at in range(len(self.settings.overrides))]
        across = {rule for rule, (group, _) in registry.files().items() if group == "workspace"}
        across |= {policy.id for policy in self.policies.all if policy.scope == "workspace"}
        return frozenset(across.intersection(*[set().union(*every)]))

    def _key_name(self, key: str) -> str:
        """The name of a settings key for a message."""
        return f"{display_path(self.settings.file or self.settings.folder)}: {key}"

    def _selection(self, matching: tuple[int, ...]) -> Selection:
        """The selection under some overrides, cached."""
        selection = self._made.get(matching)
        if selection is None:
            chosen = [self.settings.overrides[at] for at in matching]
            selection = self._made[matching] = Selection(
                self._rules(matching),
                _severities(self.settings, chosen),
                _options(self.settings, chosen),
                self._gathered,
                next((override.session_schema for override in reversed(chosen) if override.session_schema), None)
                or self.settings.session_schema,
                self.policies,
                _parameters(self.settings, chosen),
            )
        return selection

    def steps(self, path: str) -> Iterator[tuple[str, frozenset[str]]]:
        """The rules of a path after each level of settings, with the name of the level; the last is in effect."""
        return self._steps(self._matching(path))

    def overrides_of(self, path: str) -> list[tuple[str, Settings]]:
        """The overrides that match a path, each with its name."""
        return [(self._key_name(f"overrides[{at}]"), self.settings.overrides[at]) for at in self._matching(path)]

    def _matching(self, path: str) -> tuple[int, ...]:
        if not self.settings.overrides:
            return ()
        settings_path = self.path_of_settings(path)
        return tuple(
            at for at, override in enumerate(self.settings.overrides) if matches(override.paths, settings_path)
        )

    def _rules(self, matching: tuple[int, ...]) -> frozenset[str]:
        return list(self._steps(matching))[-1][1]

    def _steps(self, matching: tuple[int, ...]) -> Iterator[tuple[str, frozenset[str]]]:
        rules = frozenset[str]()
        for step in self._chosen(matching):
            yield step
            rules = step[1]
        if not rules >= ALWAYS_REPORTED:
            yield "always reported", rules | ALWAYS_REPORTED

    def _chosen(self, matching: tuple[int, ...]) -> Iterator[tuple[str, frozenset[str]]]:
        if self._select:
            yield "command line", frozenset(self._select - self._ignore)
            return
        settings = self.settings
        edition = settings.edition or NEWEST
        rules = set(default_rules(edition)) | set(self.policies.rules)
        yield f"edition {edition}", frozenset(rules)
        if settings.select:
            rules = expanded(settings.select, self._key_name("select"), self.policies)
        ignore = expanded(settings.ignore, self._key_name("ignore"), self.policies)
        rules = _apply_levels(rules, settings.severity, ignore, adds=not settings.select)
        yield str(settings.file), frozenset(rules)
        for at in matching:
            override, name = settings.overrides[at], self._key_name(f"overrides[{at}]")
            rules = rules | expanded(override.select, f"{name}.select", self.policies)
            ignore = expanded(override.ignore, f"{name}.ignore", self.policies)
            rules = _apply_levels(rules, override.severity, ignore, adds=True)
            yield name, frozenset(rules)
        yield "command line", frozenset(rules - self._ignore)


def rule_problems(settings: Settings) -> list[Problem]:
    """Errors in the names of rules in settings; none are reported if policies are invalid."""
    try:
        policies = _policies(settings, ())
    except UsageError:
        return []
    return _rule_problems(settings, policies)


def _rule_problems(settings: Settings, policies: Policies) -> list[Problem]:
    """Each unknown rule name and each wrong parameter of a policy, with the path of its key."""
    layers = list(settings.layers())
    known = {*registry.ids(), *policies.rules}
    named = [((*path, "severity", rule), rule) for path, layer in layers for rule in layer.severity]
    named += [((table.key, table.number, "rule"), rule) for table in settings.ignore_tables for rule in table.rules]
    wrong = [(path, _no_rule(rule, policies), rule) for path, rule in named if rule not in known]
    given = [((*path, "policy-parameters"), layer.policy_parameters) for path, layer in layers]
    if any(tables for _, tables in given):
        from trialrun.lint.policy.policy import parameter_problems

        wrong += [problem for path, tables in given for problem in parameter_problems(path, tables, policies.all)]
    for key in ("select", "ignore"):
        names = [((*path, key), name) for path, layer in layers for name in getattr(layer, key)]
        unknown = [(path, name) for path, name in names if not _is_known(name, policies)]
        wrong += [(path, f"{key}: {_no_rule(name, policies)}", name) for path, name in unknown]
    if not wrong:
        return []
    from trialrun.lint.settings.lines import Problem

    return [Problem(path, text, value) for path, text, value in wrong]


def _parameters(settings: Settings, chosen: Iterable[Settings]) -> dict[str, dict[str, Any]]:
    """The parameters of policies, by policy."""
    merged: dict[str, dict[str, Any]] = {}
    for tables in (settings.policy_parameters, *(override.policy_parameters for override in chosen)):
        for policy, values in tables.items():
            merged.setdefault(policy, {}).update(values)
    return merged


def _policies(settings: Settings, further: Sequence[str]) -> Policies:
    """The policies of the settings and of the command line."""
    if not (settings.policies or further):
        return NONE
    from trialrun.lint.policy.packs import load_policies, policy_files

    own_name = f"{display_path(settings.file)}: policies" if settings.file else "policies"
    ours = policy_files(settings.policies, settings.folder, own_name)
    return load_policies(chain(ours, policy_files(further, working_folder(), "--policies")))


def _apply_levels(rules: set[str], severity: Mapping[str, str], ignore: set[str], *, adds: bool) -> set[str]:
    """Apply severities and ignored rules to a set of rules; with `adds`, a severity enables its rule."""
    off = {rule for rule, word in severity.items() if word == "off"}
    return (rules | (set(severity) if adds else set())) - off - ignore


def _severities(settings: Settings, chosen: Iterable[Settings]) -> dict[str, Severity]:
    words = dict(settings.severity)
    for override in chosen:
        words.update(override.severity)
    return {rule: SEVERITIES[word] for rule, word in words.items() if word != "off"}


def _options(settings: Settings, chosen: Iterable[Settings]) -> dict[str, Any]:
    options = {key: settings.runtime[key] for key in OF_TRIAL_RUNS if key in settings.runtime} | dict(settings.options)
    for override in chosen:
        options.update(override.options)
    return options


def expanded(names: Iterable[str], option: str, policies: Policies = NONE) -> set[str]:
    """The rule ids of names of rules and groups; `all` means every rule. Raises UsageError."""
    rules: set[str] = set()
    groups = {rule: of for rule, (of, _) in registry.files().items()} | dict.fromkeys(policies.rules, GROUP)
    for name in names:
        group = {rule for rule, of in groups.items() if name in (of, of.replace("_", "-"), "all")}
        if not group and name not in groups and name != GROUP:
            raise UsageError(f"{option}: {_no_rule(name, policies)}")
        rules |= group or ({name} - {GROUP})
    return rules


def _is_known(name: str, policies: Policies) -> bool:
    """Whether a name is that of a rule or group."""
    if name in ("all", GROUP) or name in policies.rules:
        return True
    return name in registry.ids() or any(name in (of, of.replace("_", "-")) for of, _ in registry.files().values())


def _no_rule(name: str, policies: Policies) -> str:
    from trialrun.values.suggest import did_you_mean

    if _is_known(name, policies):
        return f'"{name}" is a group; name its rules, which trialrun rules lists'
    known = [*registry.files(), *policies.rules, *registry.GROUPS, GROUP, "all"]
    return f'there is no rule "{name}"{did_you_mean(name, known) or "; trialrun rules lists them"}'
