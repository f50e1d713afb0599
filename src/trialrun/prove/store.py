"""What is proved of the upsells of a store: never offered, offered in this session, or not decided."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

import z3

from trialrun.model.channel_config import UpsellConfig
from trialrun.prove.encode import Encoding
from trialrun.prove.offers import MAX_OTHERS, Strategy, TurnFormulas, condition_text, shared_formulas
from trialrun.prove.reads import Unsupported
from trialrun.prove.replay import TURNS, Shows, Stage, comes_to, evaluates, offers, show, show_message
from trialrun.prove.verdict import Answer, Never, Possible, Question, Situation, Unknown, Verdict, Witness
from trialrun.runtime.channel_config.active_config import Origin
from trialrun.runtime.channel_config.dialogue.messages import OfferType
from trialrun.runtime.channel_config.explore.anomaly import Example
from trialrun.runtime.channel_config.explore.search import Search
from trialrun.runtime.channel_config.explore.static_analysis import StaticAnalysis
from trialrun.runtime.channel_config.menu import Item
from trialrun.runtime.channel_config.session.cel_state import state_builder
from trialrun.runtime.channel_config.session.condition import InvalidCondition, compile_condition
from trialrun.runtime.channel_config.session.plan import PlannedCelUpsell, PlannedUpsell, session_plan
from trialrun.runtime.channel_config.session.turn import upsell_name
from trialrun.values.cel import Program, Schema, check_expression
from trialrun.values.cel.syntax_tree import operands, walk

MAX_WITNESSES, MAX_REFUSED = 6, 150
"""The states that are played for a question, near and far; and those of all questions that may show nothing.

Then one is played for each further question.
"""
MAX_OPERANDS = 100
"""The operands of a condition that are left out in turn, each in a copy of it: time grows with the square."""
_NOTHING = {"&&": "true", "||": "false"}
"""What changes nothing as an operand."""
NEVER_TRUE = "its condition is never true"


class StoreProof:
    """The questions about a store; `unpriced` are the items whose price the menu lacks."""

    def __init__(self, stage: Stage, unpriced: frozenset[Item] = frozenset()) -> None:
        self.stage, self.config = stage, stage.active_config
        self.plan = session_plan(stage.active_config, stage.menu, stage.types)
        self._unpriced = unpriced
        self._shown: Example | None = None
        self._refused = 0
        self._shared: dict[int, TurnFormulas | None] = {}

    def situation(self, schema: Schema) -> Situation:
        """What all questions about the store share, with some session types."""
        languages = (self.plan.initial_language,) if self.plan.initial_language else ()
        store = self.config.store.name
        return Situation(self.stage.menu, schema, store, self.stage.begin, languages, unpriced=self._unpriced)

    @cached_property
    def strategy(self) -> Strategy:
        """The strategy of the store."""
        greetings = [one for one in self.plan.strategy.upsells or () if one.greetingOffer and not one.disabled]
        is_certain = bool(self._analysis and self._analysis.certain_offers.get("greetingOffer"))
        limits = self.plan.strategy.maxUpsellOffers, self.plan.strategy.maxUpsellDeclines
        if not greetings or self.config.listens_only or 0 in limits:
            return Strategy(self.plan, greets=False)
        return Strategy(self.plan, greets=True if is_certain else None)

    @cached_property
    def _analysis(self) -> StaticAnalysis | None:
        return StaticAnalysis.for_store(self.config, self.stage.menu, self._constant)

    def _constant(self, upsell: UpsellConfig) -> bool | None:
        cel = upsell.celUpsell
        if cel is None or not cel.conditionExpression:
            return None
        schema = self.stage.types(self.config.origin_of(cel, "conditionExpression").path)
        return check_expression(cel.conditionExpression, schema=schema).constant

    def answers(self) -> Iterator[Answer]:
        """What is proved of each enabled upsell, in the order in which they are attempted."""
        for upsell in self._enabled:
            yield from self._of_upsell(upsell)

    def offers(self, search: Search | None = None) -> Iterator[tuple[UpsellConfig, Answer]]:
        """Whether each enabled upsell is offered, without other questions; not of those that a search has offered."""
        upsells = enumerate(search.upsells if search else ())
        shown = {id(upsell) for place, upsell in upsells if search and not search.is_never_offered(place)}
        for upsell in self._enabled:
            if id(upsell.config) not in shown:
                yield upsell.config, next(self._of_upsell(upsell))

    def _of_upsell(self, upsell: PlannedUpsell) -> Iterator[Answer]:
        if isinstance(upsell, PlannedCelUpsell):
            yield from self._of_condition(upsell)
        else:
            yield self._of_message(upsell.config)

    @property
    def _enabled(self) -> Iterator[PlannedUpsell]:
        planned = {upsell.position: upsell for upsell in self.plan.cel_upsells}
        return (planned.get(one.position, one) for one in self.plan.upsells if not one.config.disabled)

    def answers_about(self, condition: str) -> list[Answer]:
        """What is proved of a condition that no upsell needs to have. Raises ValueError where it does not compile."""
        schema = self.stage.types(self.config.store.brand.path)
        problems = check_expression(condition, schema=schema).problems
        program = compile_condition(condition, schema)
        if problems:
            raise ValueError(problems[0].message)
        if isinstance(program, InvalidCondition):
            raise ValueError(program.error)
        builder, situation = state_builder(schema), self.situation(schema)
        try:
            encoding = Encoding(situation, [condition])
        except Unsupported as reason:
            return [Answer("condition-true", "", "unknown", f"not decided whether the condition is true: {reason}")]
        subject, truth = "the condition", encoding.truth(condition)
        verdict = self._decide(encoding, truth.true, comes_to(program, builder, value=True))
        found = [self._about("condition-true", subject, "", verdict, ("is true", "is never true"), None)]
        verdict = self._decide(encoding, truth.error, comes_to(program, builder, value=None))
        found.append(self._about("condition-fails", subject, "", verdict, ("can fail", "never fails"), None))
        return [*found, *self._redundant(condition, subject, "", situation, None)]

    # CEL upsells

    def _of_condition(self, upsell: PlannedCelUpsell) -> Iterator[Answer]:
        text, name = condition_text(upsell), upsell_name(upsell.config)
        subject, origin = f"the condition of {upsell.config.title}", upsell.condition_origin
        if isinstance(upsell.program, InvalidCondition):
            why = f"{upsell.config.title} is never offered: its condition does not compile"
            yield Answer("offered", name, "never", why, origin)
            return
        situation = self.situation(upsell.state_builder.schema)
        try:
            formulas = self._formulas(upsell)
        except Unsupported as reason:
            yield Answer("offered", name, "unknown", f"not decided whether {upsell.config.title} is offered: {reason}")
            return
        offered = self._is_offered(upsell, formulas)
        encoding = formulas.encoding
        if offered.verdict != "possible":
            verdict = self._decide(encoding, encoding.truth(text).true, evaluates(upsell.config, value=True))
            if offered.why == NEVER_TRUE and not isinstance(verdict, Never):
                why = "its condition is true in no turn that may offer it"
                message = f"{upsell.config.title} is never offered: {why}"
                offered = replace(offered, message=message, why=why)
        yield offered
        if offered.verdict != "possible":
            yield self._about("condition-true", subject, name, verdict, ("is true", "is never true"), origin)
        verdict = self._decide(encoding, encoding.truth(text).error, evaluates(upsell.config, value=None))
        yield self._about("condition-fails", subject, name, verdict, ("can fail", "never fails"), origin)
        if offered.verdict != "never":
            yield from self._redundant(text, subject, name, situation, origin)

    def _formulas(self, upsell: PlannedCelUpsell) -> TurnFormulas:
        """One turn with the conditions of all upsells, each encoded once; where they are not all understood, of a few.

        Raises Unsupported.
        """
        schema = upsell.state_builder.schema
        if id(schema) not in self._shared:
            self._shared[id(schema)] = shared_formulas(self.situation(schema), self.strategy)
        shared = self._shared[id(schema)]
        if shared is not None and shared.reads(upsell):
            return shared
        return TurnFormulas(
            self.situation(schema), [self.strategy], only=[upsell, *self.strategy.better(upsell)[:MAX_OTHERS]]
        )

    def _is_offered(self, upsell: PlannedCelUpsell, formulas: TurnFormulas) -> Answer:
        title, name = upsell.config.title, upsell_name(upsell.config)
        never = self._analysis and self._analysis.why_never(upsell.config)
        if never and never.cause in ("listen-only", "limit"):
            return Answer(
                "offered", name, "never", f"{title} is never offered: {never.reason}", upsell.origin, why=never.reason
            )
        goal = z3.And(formulas.history, z3.Not(formulas.before(upsell)))
        facts = formulas.facts(upsell, self.strategy)
        verdict = self._decide(formulas.encoding, goal, offers(upsell.config), facts, formulas)
        origin = upsell.condition_origin
        answer = self._about("offered", title, name, verdict, ("is offered", "is never offered"), origin)
        if isinstance(verdict, Never):
            reason, related = self._why_never(verdict.core)
            return replace(answer, message=f"{answer.message}: {reason}", related=related, why=reason)
        return replace(answer, origin=origin)

    def _why_never(self, core: Sequence[str]) -> tuple[str, tuple[tuple[str, Origin], ...]]:
        """The named premises of a proof in words, and where they are written."""
        strategy, reasons, related = self.plan.strategy, list[str](), list[tuple[str, Origin]]()
        others = [upsell for upsell in self.strategy.real if f"upsell {upsell.position}" in core]
        if others:
            titles = _join([upsell.config.title for upsell in others])
            reasons.append(f"{titles} {'is' if len(others) == 1 else 'are'} always offered first")
            related += [(f"{one.config.title} is favored", one.condition_origin) for one in others]
        if "greeting" in core:
            reasons.append("a greeting offer is made in every session")
        for field in ("maxUpsellOffers", "maxUpsellDeclines", "maxItemsInCart"):
            if field in core:
                reasons.append(f"{field} is {getattr(strategy, field)}")
                related.append((f"{field} is set", self.config.origin_of(strategy, field)))
        reasons += [f"{field} is set" for field in core if field.startswith("skipOn")]
        return _join(reasons) or NEVER_TRUE, tuple(related)

    def _decide(
        self,
        encoding: Encoding,
        goal: z3.BoolRef,
        shows: Shows,
        facts: dict[str, z3.BoolRef] | None = None,
        formulas: TurnFormulas | None = None,
    ) -> Verdict:
        """The verdict on a goal, of which the session that shows it is kept."""
        self._shown = None

        def confirm(witness: Witness) -> bool:
            self._shown = show(witness, self.stage, shows)
            if self._shown is None and formulas and (states := formulas.earlier()):
                self._shown = show(witness, self.stage, shows, states)
            self._refused += self._shown is None
            return self._shown is not None

        is_short, is_spent = encoding.turn <= TURNS, self._refused >= MAX_REFUSED
        nearer = [z3.And(is_short, formulas.all_sold), is_short] if formulas else [is_short]
        tried = 1 if is_spent else MAX_WITNESSES
        verdict = encoding.decide(goal, confirm, facts=facts, nearer=nearer, witnesses=tried)
        if isinstance(verdict, Unknown) and is_spent and not verdict.parts:
            return replace(verdict, reason=f"{MAX_REFUSED} states that were played for the store have shown nothing")
        return verdict

    def _about(
        self,
        question: Question,
        subject: str,
        name: str,
        verdict: Verdict,
        words: tuple[str, str],
        origin: Origin | None,
    ) -> Answer:
        yes, no = words
        premises = verdict.premises
        match verdict:
            case Never():
                return Answer(question, name, "never", f"{subject} {no}", origin, premises=premises)
            case Possible():
                shown = self._shown
                return Answer(question, name, "possible", f"{subject} {yes}", origin, example=shown, premises=premises)
            case Unknown(reason, parts):
                message = f"not decided whether {subject} {yes}: {reason}"
                return Answer(question, name, "unknown", message, origin, premises=premises, parts=parts)

    @staticmethod
    def _redundant(text: str, subject: str, name: str, situation: Situation, origin: Origin | None) -> Iterator[Answer]:
        for part, verdict in redundant_operands(text, situation):
            if isinstance(verdict, Never):
                message = f"{subject} is true in the same sessions without {' '.join(part.split())}"
                yield Answer("redundant-operand", name, "never", message, origin, premises=verdict.premises)

    # greeting and closing offers

    def _of_message(self, upsell: UpsellConfig) -> Answer:
        """Whether a greeting or a closing offer is made: by the static analysis, or a session that has it."""
        kind: OfferType = "greetingOffer" if upsell.greetingOffer else "closingOffer"
        name, origin = upsell_name(upsell), self.config.origin_of(upsell, kind)
        never = self._analysis and self._analysis.why_never(upsell)
        if never:
            related = tuple((f"{one.title} is offered first", self.config.origin_of(one)) for one in never.predecessors)
            message = f"{upsell.title} is never offered: {never.reason}"
            return Answer("offered", name, "never", message, origin, related, why=never.reason)
        if example := show_message(upsell, kind, self.stage):
            return Answer("offered", name, "possible", f"{upsell.title} is offered", origin, example=example)
        why = "no session was found that has it"
        return Answer("offered", name, "unknown", f"not decided whether {upsell.title} is offered: {why}", origin)


def prove_offers(search: Search, stage: Stage, unpriced: frozenset[Item]) -> bool:
    """Tell a search what is proved of the upsells that none of its sessions has offered. Whether all are decided.

    It looks for no cause of what is proved any more. `unpriced` are the items whose price the menu lacks.
    """
    is_decided = True
    for upsell, answer in StoreProof(stage, unpriced).offers(search):
        is_decided &= answer.verdict != "unknown"
        if answer.verdict == "never" and not search.why_never(upsell):
            search.proved_never[id(upsell)] = answer.why
        elif answer.example:
            search.proved_possible[id(upsell)] = answer.example
    return is_decided


def redundant_operands(condition: str, situation: Situation) -> Iterator[tuple[str, Verdict]]:
    """Each operand of `&&` and `||`, with the verdict whether leaving it out makes a difference; none of very many."""
    program = compile_condition(condition, situation.schema)
    chains = [node for node in walk(program.tree) if node.name in ("&&", "||")] if isinstance(program, Program) else []
    places = {(each.start, each.end): _NOTHING[chain.name] for chain in chains for each in operands(chain)}
    if len(places) > MAX_OPERANDS:
        return
    shorter = {place: condition[: place[0]] + nothing + condition[place[1] :] for place, nothing in places.items()}
    try:
        encoding = Encoding(situation, [condition, *shorter.values()])
    except Unsupported:
        return
    for (start, end), text in shorter.items():
        yield condition[start:end], encoding.difference(condition, text)


def _join(words: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))
