#!/usr/bin/env bash
# Patterns of a .gitignore by git 2 and by pathspec 1.1.1 (GitIgnoreSpec, which says that it follows git): a tab at the end
# belongs to a name for git and to nothing for pathspec; classes as [[:digit:]] are none for pathspec; a file of a folder that
# is ignored comes back by a later pattern, which git says is not possible; a backslash at the end is an error and ends the
# whole list.
# Guess before the run: equal, but for the folder.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check pathspec==1.1.1
venv/bin/python - >seen <<'PROGRAM'
import pathlib, subprocess
from pathspec import GitIgnoreSpec

files = ("a.yaml", "v1.yaml", "menus/x.yaml")
subprocess.run(["git", "init", "--quiet", "tree"], check=True)
tree = pathlib.Path("tree")
for file in files:
    (tree / file).parent.mkdir(exist_ok=True)
    (tree / file).touch()
for patterns in ("a.yaml\t", "v[[:digit:]].yaml", "menus\n!menus/x.yaml", "a.yaml\\"):
    (tree / "patterns").write_text(patterns + "\n")
    command = ["git", "-C", "tree", "ls-files", "--others", "--ignored", "--exclude-from=patterns"]
    git = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    try:
        spec = GitIgnoreSpec.from_lines(patterns.split("\n"))
        print(repr(patterns), git, [file for file in files if spec.match_file(file)])
    except Exception as error:
        print(repr(patterns), git, type(error).__name__)
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
'a.yaml\t' [] ['a.yaml']
'v[[:digit:]].yaml' ['v1.yaml'] []
'menus\n!menus/x.yaml' ['menus/x.yaml'] []
'a.yaml\\' [] GitIgnorePatternError
SEEN
echo "seen as described"
