#!/usr/bin/env bash
# Patterns of hooks: views/**/*.yaml of lefthook 2.2.2 (npm) leaves out the files of the folder views itself, and views/*.yaml
# takes those of its subfolders; with "glob_matcher: doublestar" it is the other way round, and *.yaml then takes the top
# folder alone. lint-staged 16.4.0 (npm) takes files of all folders for *.yaml, and reads the others as a shell does. A hook
# moved from one to the other passes files that it checked before. A pattern that begins with ./ matches nothing in lefthook.
# Guess before the run: the four patterns take the same files.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix tools lefthook@2.2.2 lint-staged@16.4.0 2>/dev/null
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.com GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.com
git init --quiet repository
cd repository
mkdir -p views/deep
touch top.yaml views/one.yaml views/deep/two.yaml
git add . && git commit --quiet --message start
for file in top.yaml views/one.yaml views/deep/two.yaml; do echo "a: 1" >"$file"; done
git add .
for pattern in '*.yaml' 'views/*.yaml' 'views/**/*.yaml' './views/*.yaml'; do
  for matcher in gobwas doublestar; do
    printf 'glob_matcher: %s\npre-commit:\n  commands:\n    check: {glob: "%s", run: "echo FILES {staged_files}"}\n' "$matcher" "$pattern" >lefthook.yml
    echo "lefthook, $matcher: $pattern: $(../tools/node_modules/.bin/lefthook run pre-commit 2>&1 | sed -n 's/^FILES //p')"
  done
  echo "{\"$pattern\": \"echo FILES\"}" >lint.json
  echo "lint-staged: $pattern: $(../tools/node_modules/.bin/lint-staged --verbose --config lint.json 2>&1 | sed -n 's/^FILES //p' | sed "s,$PWD/,,g")"
done >../seen
cd ..
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
lefthook, gobwas: *.yaml: top.yaml views/deep/two.yaml views/one.yaml
lefthook, doublestar: *.yaml: top.yaml
lint-staged: *.yaml: top.yaml views/deep/two.yaml views/one.yaml
lefthook, gobwas: views/*.yaml: views/deep/two.yaml views/one.yaml
lefthook, doublestar: views/*.yaml: views/one.yaml
lint-staged: views/*.yaml: views/one.yaml
lefthook, gobwas: views/**/*.yaml: views/deep/two.yaml
lefthook, doublestar: views/**/*.yaml: views/deep/two.yaml views/one.yaml
lint-staged: views/**/*.yaml: views/deep/two.yaml views/one.yaml
lefthook, gobwas: ./views/*.yaml: 
lefthook, doublestar: ./views/*.yaml: 
lint-staged: ./views/*.yaml: views/one.yaml
SEEN
echo "seen as described"
