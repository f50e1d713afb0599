#!/usr/bin/env bash
# yamlfix 1.19.1 as a formatter of valid files: values change. Within a block of text it puts blanks around #, writes true for
# yes and takes away the empty lines of a folded text (two paragraphs become one) and the last line break of a literal one;
# within a flow list 'no' and 'on' lose their quotes, and then are false and true for a reader of YAML 1.1 as PyYAML 6.0.3.
# Guess before the run: quotes, widths and markers change; values do not.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check yamlfix==1.19.1 PyYAML==6.0.3
venv/bin/python - >seen <<'PROGRAM'
import yaml
import yamlfix

for text in (
    "when: |-\n  tag == '#1'\n  && size(items) > 2 #old\n",
    "script: |-\n  on: yes\n",
    "say: >-\n  Hello.\n\n  What may I get you?\n",
    "say: |\n  Hello.\n  What may I get you?\n",
    "languages: [sv, 'no']\n",
    "set: {mode: 'on'}\n",
):
    print(yaml.safe_load(text), yaml.safe_load(yamlfix.fix_code(text)), sep="\n    ")
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
{'when': "tag == '#1'\n&& size(items) > 2 #old"}
    {'when': "tag == '#1'\n&& size(items) > 2  # old"}
{'script': 'on: yes'}
    {'script': 'on: true'}
{'say': 'Hello.\nWhat may I get you?'}
    {'say': 'Hello. What may I get you?'}
{'say': 'Hello.\nWhat may I get you?\n'}
    {'say': 'Hello.\nWhat may I get you?'}
{'languages': ['sv', 'no']}
    {'languages': ['sv', False]}
{'set': {'mode': 'on'}}
    {'set': {'mode': True}}
SEEN
echo "seen as described"
