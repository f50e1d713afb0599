"""The page of a rule as Markdown."""

import re
from dataclasses import replace

from tests.cases import each_of
from trialrun.lint import registry
from trialrun.lint.rule_docs import parse_docs, rule_markdown

DOC = r"""A law says <what> holds.

Why it *matters*, with `*/5 <code>` and
a second line.

A second_paragraph.

- one item of
  two lines
- another

Specification: section 2: "TZ=<ZONE>".

Good, as SyncConfig:

    cron: 0 3 * * *

Bad, as SyncConfig:

    cron: 60 * 0 * *  # <- minute 60
    # line 1 <- day 0
    ```

Bad, named view.json:

    {"a": 1}  // <- not this
"""
MARKDOWN = r"""A law says \<what\> holds.

Why it \*matters\*, with `*/5 <code>` and a second line.

A second\_paragraph.

- one item of two lines
- another

Specification: section 2: "TZ=\<ZONE\>".

**Good, as SyncConfig**

```yaml
cron: 0 3 * * *
```

**Bad, as SyncConfig**

````yaml
cron: 60 * 0 * *  # <- minute 60  # <- day 0

```
````

**Bad**

```json
{"a": 1}  // <- not this
```
"""


def test_a_page() -> None:
    assert rule_markdown(replace(registry.load("cron-syntax"), doc=DOC, options={})) == MARKDOWN


def test_the_settings_a_rule_reads_are_named() -> None:
    assert "\n\nSettings: `min-sync-interval` (unset)\n\n" in rule_markdown(registry.load("cron-too-frequent"))


@each_of(registry.ids())
def test_every_page_has_its_examples_and_all_their_arrows(rule_id: str) -> None:
    rule = registry.load(rule_id)
    shown, written = parse_docs(rule.doc), rule_markdown(rule)
    assert len(re.findall(r"^`{3,}(?:yaml|json)$", written, re.MULTILINE)) == len(shown.examples)
    assert [text for example in shown.examples for _, text in example.expected if f"<- {text}" not in written] == []
