"""A workspace whose every text, name, comment and file name would control a terminal or the CI system of a log."""

import json
import re
import shutil
from pathlib import Path

from tests.cli.example_workspace import copied
from tests.security.conftest import git

CONTROLS = "\x1b]8;;http://x\x07y\x1b[31m\x1b[2J\b\r\x7f\x9b1m\x85\u202e\u2066\u2028"
COMMANDS = "\n::add-mask::a\n  ::error file=x::y\n##[error]z ##vso[task.setvariable variable=A]b\n"
HOSTILE = f"t {CONTROLS} {COMMANDS} end"
ONE_LINE = "t \u202e\u2066 ##[error]z ##vso[task.setvariable variable=A]b"
"""What may be written without escapes, in comments and in names of files."""
PLAIN_TEXT = re.compile(r"(?m)^( *(?:- )?(?:messageText|triggerReason|reason|description): )(\w[^#\n]*)$")
FINDINGS = """\
kind: FeatureView
name: {text}
{text}: {text}
labels: {{{text}: {text}}}
syncConfig: {{cron: {text}}}
warehouseSource: {{uri: {text}, entityIdColumns: [{text}, {text}]}}
"""
FIXABLE = """\
# {comment}
::error::c:  # {comment}
kind: FeatureView
name: projects/p/locations/l/featureOnlineStores/s/featureViews/{name}
syncConfig:
  cron: 5/15 * * * *  # {comment}
warehouseSource:
  uri: bq://p.d.t
  entityIdColumns: [id]
"""
POLICY = """\
id: hostile
on: FeatureView
parameters:
  word: {{type: string, default: {text}, description: {text}}}
check: parameters.word == 'a'
message: {text}
messageExpression: "'m' + parameters.word"
doc: {doc}
"""
SCENARIO = """\
kind: Scenario
name: {text}
steps:
  - session:
      store: phoenix-airport
      table: |
        | customer  | offered |
        |-----------|---------|
        | add Fries | Nothing |
---
kind: Scenario
name: {text}
steps: [{{{text}: {text}}}]
"""
API_ANSWER = {"name": "projects/p/locations/l/featureOnlineStores/s/featureViews/a", "labels": {HOSTILE: HOSTILE}}


def hostile_workspace(folder: Path) -> Path:
    """Write the workspace, with one commit and changes since."""
    copied(folder)
    text = json.dumps(HOSTILE)
    for file in folder.rglob("*.yaml"):
        file.write_text(f"# {ONE_LINE}\n" + PLAIN_TEXT.sub(lambda found: found[1] + text, file.read_text()))
    git(folder, "init", "-q", "-b", "main\u202e")
    git(folder, "add", "-A")
    git(folder, "-c", f"user.name={ONE_LINE}", "commit", "-qm", ONE_LINE, "--author", f"{ONE_LINE} <a@example.com>")
    hostile_folder = folder / f"f {ONE_LINE} \x1b[31m"
    hostile_folder.mkdir()
    for name in ("a\x1b[31m\x07", "b\r\n::error::x", f"c {ONE_LINE}"):
        (hostile_folder / f"{name}.yaml").write_text(FINDINGS.format(text=text))
    (hostile_folder / "d\x9b.yaml").write_text(FIXABLE.format(comment=ONE_LINE, name="d"))
    (folder / "fixable.yaml").write_text(
        FIXABLE.replace("::error::c:  # {comment}\n", "").format(comment="c", name="e")
    )
    (folder / "policies").mkdir()
    (folder / "policies/hostile.yaml").write_text(POLICY.format(text=text, doc=json.dumps(f"Summary.\n\n{HOSTILE}")))
    (folder / "hostile-scenarios.yaml").write_text(SCENARIO.format(text=text))
    (folder / "view.json").write_text(json.dumps(API_ANSWER))
    settings = folder / "trialrun.toml"
    reason = f'\n[[suppress]]\npath = {text}\nrule = "cron-dst"\nreason = {text}\n'
    settings.write_text(f'policies = ["policies/"]\nexclude = [{text}]\n{settings.read_text()}{reason}')
    shutil.rmtree(folder / ".trialrun", ignore_errors=True)
    return folder
