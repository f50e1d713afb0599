"""The stage of a check at which suppressions are applied: what stays, what is silenced, and what is said about them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from trialrun.diagnostic import Diagnostic, Suppressed
from trialrun.lazy_dataclass import dataclass
from trialrun.lint import registry
from trialrun.lint.suppression.diagnostics import Sayings
from trialrun.lint.suppression.index import Lookup
from trialrun.lint.suppression.suppression import Scope, Suppression
from trialrun.lint.suppression.suppressor import Silencer, Standing, Terms, of_comments, of_tables

GROUP = "suppression"
Said = tuple[Diagnostic, Silencer | None]
"""A diagnostic, and the suppression that it is about, which cannot silence it."""


@dataclass(frozen=True)
class Silenced:
    """What the stage makes: the diagnostics that stay, with those about suppressions, and those that do not."""

    kept: list[Diagnostic]
    suppressed: list[Suppressed]
    standings: list[Standing]


def silence(diagnostics: Iterable[Diagnostic], suppressions: Sequence[Suppression], terms: Terms) -> Silenced:
    """Apply the suppressions of some files, and those of the settings, to what was found in these files.

    What is said about suppressions can be suppressed as well. So rules about suppressions come last: whether they are
    silenced for nothing shows only when all else is said.
    """
    told: list[Said] = [(one, None) for one in diagnostics]
    stage = _Stage(suppressions, terms)
    sayings = Sayings(terms, frozenset(one.path for one, _ in told if one.rule == "internal-error"))
    kept = stage.rest(told)
    kept += stage.rest([(one, each) for each in stage.asked for one in sayings.at_once(each)])
    about = {rule for rule, (group, _) in registry.files().items() if group == GROUP}
    kept += stage.rest(stage.unused(sayings, lambda rule: rule not in about))
    kept += stage.rest(stage.unused(sayings, lambda rule: rule in about))
    return Silenced(kept, stage.suppressed, [one.standing for one in stage.asked])


class _Stage:
    """All suppressions at work; `asked` are those of which something is said."""

    def __init__(self, suppressions: Sequence[Suppression], terms: Terms) -> None:
        comments = list(of_comments(suppressions, terms.today))
        self._of_settings = list(of_tables(terms.tables, terms.today)) if terms.tables else []
        self.asked = [*(one for one, _ in comments if one.standing.path in terms.paths), *self._of_settings]
        self.suppressed: list[Suppressed] = []
        by_rule: dict[tuple[str, str], list[tuple[Silencer, Scope]]] = {}
        for one, scope in comments:
            for rule in one.rules:
                by_rule.setdefault((one.standing.path, rule), []).append((one, scope))
        self._by_rule = {key: Lookup(some) for key, some in by_rule.items()}

    def rest(self, told: Iterable[Said]) -> list[Diagnostic]:
        """What no suppression silences; of several that do, the last one, which is the nearest, gives the reason."""
        rest: list[Diagnostic] = []
        for found, about in told:
            silencing = [one for one in self._covering(found) if one is not about]
            for one in silencing:
                one.use(found.rule)
            if silencing:
                self.suppressed.append(silencing[-1].silenced(found))
            else:
                rest.append(found)
        return rest

    def _covering(self, found: Diagnostic) -> list[Silencer]:
        covering = [one for one in self._of_settings if found.rule in one.rules and one.covers(found)]
        comments = self._by_rule.get((found.path, found.rule))
        return covering + comments.covering(found) if comments else covering

    def unused(self, sayings: Sayings, is_meant: Callable[[str], bool]) -> list[Said]:
        """What is said about those of the rules that are named for nothing."""
        told: list[Said] = []
        for silencer in self.asked:
            for rule, said in sayings.unused(silencer):
                if is_meant(rule):
                    silencer.standing.unused.append(rule)
                    told += [(one, silencer) for one in said]
        return told
