"""Policies are completed: keys, messages, fields, and conditions by the types of the message."""

from __future__ import annotations

from collections.abc import Callable

Labels = Callable[..., list[str]]
After = Callable[..., str]

POLICY = "id: views-name-their-owner\non: FeatureView\ncheck: has(self.labels)\nmessage: m\n"


def test_keys_that_are_required_come_first(labels: Labels) -> None:
    assert labels("id: a\non: FeatureView\n¦\ncheck: a") == [
        "message", "scope", "parameters", "at", "severity", "messageExpression", "once", "doc",
    ]  # fmt: skip


def test_a_policy_is_on_a_message(labels: Labels) -> None:
    assert {"FeatureView", "UpsellConfig"} <= set(labels(POLICY.replace("FeatureView", "¦")))


def test_a_finding_points_at_a_field(labels: Labels, after: After) -> None:
    assert "labels" in labels(f"{POLICY}at: ¦")
    assert after(f"{POLICY}at: syncConfig.c¦", "syncConfig.cron").endswith("at: syncConfig.cron")


def test_a_severity_is_one_of_three(labels: Labels) -> None:
    assert labels(f"{POLICY}severity: ¦") == ["error", "warning", "note"]


def test_a_condition_reads_the_message_and_its_document(labels: Labels) -> None:
    assert labels(POLICY.replace("has(self.labels)", "¦"))[:3] == ["self", "root", "document"]
    assert "cron" in labels(POLICY.replace("has(self.labels)", "self.syncConfig.¦"))
    assert labels(POLICY.replace("has(self.labels)", "document.¦"))[:3] == ["path", "kind", "name"]


PARAMETERS = "parameters:\n  max: {type: int, default: 4}\n"


def test_a_scope_is_one_of_two(labels: Labels) -> None:
    assert labels(f"{POLICY}scope: ¦") == ["document", "workspace"]


def test_functions_of_policies(labels: Labels) -> None:
    every = labels(POLICY.replace("has(self.labels)", "¦"))
    assert {"now", "texts", "documents", "cron", "language", "condition"} <= set(every)
    assert labels(POLICY.replace("has(self.labels)", "cron.¦")) == ["runs", "zone"]
    assert "getHours" in labels(POLICY.replace("has(self.labels)", "cron.runs(self.syncConfig.cron, 2)[0].¦"))


def test_parameters_are_completed(labels: Labels) -> None:
    text = PARAMETERS + POLICY
    assert labels(text.replace("has(self.labels)", "parameters.¦"))[:1] == ["max"]
    assert labels(text.replace("{type: int, default: 4}", "{¦}")) == ["type", "default", "description"]
    assert "list(string)" in labels(text.replace("type: int", "type: ¦"))


def test_other_documents_are_completed(labels: Labels) -> None:
    assert {"FeatureView", "Brand"} <= set(labels(POLICY.replace("has(self.labels)", "documents('¦')")))
    inside = "documents('Brand').exists(b, b.¦)"
    assert "defaults" in labels(POLICY.replace("has(self.labels)", inside))
