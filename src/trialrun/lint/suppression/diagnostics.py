"""What there is to say about a suppression once the findings are silenced, as diagnostics at its place."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from trialrun.diagnostic import Diagnostic, Finding, Place, Severity
from trialrun.lint import registry
from trialrun.lint.settings import IgnoreTable
from trialrun.lint.suppression.expiry import last_day
from trialrun.lint.suppression.findings import Expired, Subject, Unexplained, Unnamed, Unused, Why
from trialrun.lint.suppression.suppress_tables import Tables, names_one_file
from trialrun.lint.suppression.suppression import Mention, Suppression
from trialrun.lint.suppression.suppressor import NEVER, Silencer, Terms

DEPENDS_ON_NAMING = "unknown-kind"
"""A rule that speaks of some files only when a person names them: silencing it is never called unused."""


class Sayings:
    """What is said under some terms; of the files in `faulty`, in which a rule of ours failed, nothing is unused."""

    def __init__(self, terms: Terms, faulty: frozenset[str]) -> None:
        self.terms = terms
        self._faulty = faulty
        self._known: dict[str, dict[str, None]] = {}
        groups = {rule: group for rule, (group, _) in registry.files().items()}
        self._across = {rule for rule, group in groups.items() if group == "workspace"}

    def at_once(self, silencer: Silencer) -> Iterator[Diagnostic]:
        """What does not depend on what it silences: names that no rule has, its date, its reason."""
        said, standing = silencer.said, silencer.standing
        if isinstance(said, Suppression):
            for unnamed in _unnamed(said, self._names(said.path)):
                standing.unknown += [unnamed.written] if unnamed.written else []
                yield from self._said("unknown-rule", unnamed, unnamed.written or "", silencer)
        if not standing.rules:
            return
        if standing.expired:
            written = standing.until or ""
            where = said.until_range if isinstance(said, Suppression) else silencer.where
            yield from self._said(
                "expired-suppression", Expired(written, last_day(written) is not None, where), "", silencer
            )
        if not standing.reason:
            unexplained = Unexplained(silencer.where, standing.sort)
            yield from self._said("unexplained-suppression", unexplained, "", silencer)

    def unused(self, silencer: Silencer) -> Iterator[tuple[str, list[Diagnostic]]]:
        """Each rule that it names for nothing, with what is said of that."""
        if silencer.standing.expired:
            return
        said = silencer.said
        found = self._of_comment(silencer, said) if isinstance(said, Suppression) else self._of_table(silencer, said)
        for unused in found:
            yield unused.rule, list(self._said("unused-suppression", unused, unused.rule, silencer))

    def _names(self, path: str) -> dict[str, None]:
        """The rules that there are: those of the catalogue, the policies, and those that run for a path beside them."""
        found = self._known.get(path)
        if found is None:
            selection = self.terms.selection_of(path)
            beside = [*selection.policies.rules, *sorted(selection.rules)]
            found = self._known[path] = dict.fromkeys([*registry.ids(), *beside])
        return found

    # ---- what is unused

    def _of_comment(self, silencer: Silencer, said: Suppression) -> Iterator[Unused]:
        """The whole comment goes where none of its rules is worth keeping."""
        if said.sort is None or not said.mentions:
            return
        if said.sort == "ignore-file" and not said.scope.whole_file:
            yield Unused(said.mentions[0].rule, "misplaced", said.range)
            return
        first = {one.rule: one for one in reversed(said.mentions)}
        whys = ((one, self._why(silencer, said, one, first[one.rule])) for one in said.mentions)
        found = [(one, why) for one, why in whys if why]
        for mention, why in found:
            alone = len(found) == len(said.mentions)
            yield Unused(mention.rule, why, mention.range, said.without if alone else mention.without, alone)

    def _why(self, silencer: Silencer, said: Suppression, one: Mention, first: Mention) -> Why | None:
        """Why a name is there for nothing; None where it silences something, or nobody knows.

        `first` is the first mention of the same rule.
        """
        rule = one.rule
        if rule in NEVER:
            return "never"
        if one is not first:
            return "twice"
        return "nothing" if said.sure and self._ran(rule, said.path) and rule not in silencer.used else None

    def _of_table(self, silencer: Silencer, table: IgnoreTable) -> Iterator[Unused]:
        """Only where all files that the table may speak of were looked at."""
        tables: Tables | None = self.terms.tables
        seen = [path for path in self.terms.paths if tables is not None and tables.has(table, path)]
        if not self.terms.whole and not (seen and names_one_file(table)):
            return
        for rule in table.rules:
            if rule in NEVER:
                yield Unused(rule, "never", silencer.where)
            elif rule not in silencer.used and all(self._ran(rule, path) for path in seen):
                yield Unused(rule, "nothing", silencer.where)

    def _ran(self, rule: str, path: str) -> bool:
        """Whether a rule was asked about a file and saw all that it needs."""
        if rule == DEPENDS_ON_NAMING or path in self._faulty:
            return False
        return rule in self.terms.selection_of(path).rules and (self.terms.whole or rule not in self._across)

    # ---- how it is said

    def _said(self, rule_id: str, subject: Subject, word: str, silencer: Silencer) -> Iterator[Diagnostic]:
        selection = self.terms.selection_of(silencer.standing.path)
        if rule_id not in selection.rules:
            return
        rule = registry.load(rule_id)
        for check in rule.checks:
            for remark in check(subject):
                severity = selection.severity(rule, Finding(remark.message, Place(None)))
                yield replace(
                    _where(silencer, word),
                    rule=rule_id,
                    severity=severity,
                    message=remark.message,
                    range=remark.range,
                    fix=remark.fix,
                )


def _where(silencer: Silencer, word: str) -> Diagnostic:
    """A diagnostic still without words: at a comment it is one of the node that the comment covers."""
    said = silencer.said
    if isinstance(said, IgnoreTable):
        named = "\x1f".join((said.path, said.pointer, word))
        return Diagnostic("", Severity.NOTE, "", silencer.standing.path, silencer.where, fingerprint=named)
    return Diagnostic(
        "",
        Severity.NOTE,
        "",
        said.path,
        said.range,
        max(said.scope.document, 0),
        said.pointer,
        fingerprint=f"{said.fingerprint}\x1f{word}",
        resource=said.resource,
    )


def _unnamed(one: Suppression, known: Collection[str]) -> Iterator[Unnamed]:
    """What a comment names that is no rule, or that it names none."""
    if one.sort is None:
        yield Unnamed(one.meant_range, meant=one.meant)
    elif not one.mentions:
        yield Unnamed(one.range)
    else:
        yield from (_misnamed(mention, known) for mention in one.mentions if mention.rule not in known)


def _misnamed(mention: Mention, known: Collection[str]) -> Unnamed:
    from trialrun.model.suggest import nearest

    return Unnamed(mention.range, mention.rule, nearest(mention.rule, known, close=0.7))
