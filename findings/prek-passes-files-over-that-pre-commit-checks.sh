#!/usr/bin/env bash
# prek 0.5.11, which reads the configuration of pre-commit 4.7.0, on valid `files`: a class with two ampersands is an
# intersection there, so a hook has no files and is passed over; a class with an open bracket in it, `[[]`, makes the whole
# file invalid; what follows a # in `entry` is a comment, and an argument for pre-commit, which runs the hook for two files,
# for one, and with the argument.
# Guess before the run: one language of patterns, or a warning.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check prek==0.5.11 pre-commit==4.7.0
git init --quiet tree
cd tree
touch 'a&b' b.yaml '[x.yaml'
hook() { printf 'repos:\n- repo: local\n  hooks:\n  - {id: hook, name: hook, language: system, verbose: true, %s}\n' "$1" >.pre-commit-config.yaml; }
run() { git add . && HOME=$folder PREK_HOME=$folder/prek "../venv/bin/$1" run --all-files 2>&1 || true; }
{
  for program in pre-commit prek; do
    hook "entry: echo said, files: '^[a&&b]'"
    echo "$program, [a&&b]: $(run $program | grep -oE 'said .*|no files to check' | tr ' ' '\n' | sort | xargs)"
    hook "entry: echo said, files: '^[[]'"
    echo "$program, [[]: $(run $program | grep -oE 'said .*|Failed to parse' | head -1)"
    hook "entry: 'echo said #1', pass_filenames: false"
    echo "$program, #: $(run $program | grep -oE 'said.*' | head -1)"
  done
} >../seen
cd ..
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
pre-commit, [a&&b]: a&b b.yaml said
pre-commit, [[]: said [x.yaml
pre-commit, #: said #1
prek, [a&&b]: check files no to
prek, [[]: Failed to parse
prek, #: said
SEEN
echo "seen as described"
