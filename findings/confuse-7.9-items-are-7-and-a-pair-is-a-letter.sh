#!/usr/bin/env bash
# Confuse 2.3.0 (PyPI), which reads and checks settings in YAML: a value asked for as int is 7 where the file says 7.9 and 0
# where it says 0.99, and True is a number, while the text "7" is refused; a text asked for as Pairs, which takes a list of
# names, is a list of its letters. A menu loses the fraction of a price or of a limit before anything else sees it.
# Guess before the run: 7.9 and true are errors for int, as a text is; of Pairs none was written.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check confuse==2.3.0
cat >program.py <<'PROGRAM'
import confuse

int_of = ("7.9", "-7.9", "0.99", "true", '"7"')
for source, template in [(source, int) for source in int_of] + [("cola", confuse.Pairs()), ("[cola]", confuse.Pairs())]:
    settings = confuse.Configuration("shop", read=False)
    with open("settings.yaml", "w") as file:
        file.write(f"value: {source}\n")
    settings.set_file("settings.yaml")
    try:
        seen = settings["value"].get(template)
    except confuse.ConfigError as error:
        seen = type(error).__name__
    print(source, getattr(template, "__name__", "Pairs"), "->", seen)
PROGRAM
venv/bin/python program.py >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
7.9 int -> 7
-7.9 int -> -7
0.99 int -> 0
true int -> True
"7" int -> ConfigTypeError
cola Pairs -> [('c', None), ('o', None), ('l', None), ('a', None)]
[cola] Pairs -> [('cola', None)]
SEEN
echo "seen as described"
