#!/usr/bin/env bash
# The pattern a+ and the text "aab!": yamale 6.1.0, pykwalify 1.8.0, voluptuous 0.16.0 and marshmallow 4.4.0 (PyPI) take it,
# as they match the beginning; schema 0.7.8 takes "xaa" as well, for it searches; cerberus 1.3.8 refuses both, for it
# matches the whole, but takes a line end after it.
# Guess before the run: yamale and pykwalify match the whole, as their examples suggest.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'yamale==6.1.0' 'pykwalify==1.8.0' 'voluptuous==0.16.0' \
  'marshmallow==4.4.0' 'schema==0.7.8' 'cerberus==1.3.8'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import logging

import cerberus
import marshmallow
import pykwalify.core
import schema
import voluptuous
import yamale

logging.disable(logging.CRITICAL)
Text = marshmallow.Schema.from_dict({"q": marshmallow.fields.Str(validate=marshmallow.validate.Regexp("a+"))})


def by_yamale(text):
    yamale.validate(yamale.make_schema(content="regex('a+')"), [(text, "file")])


def by_cerberus(text):
    assert cerberus.Validator({"q": {"regex": "a+"}}).validate({"q": text})


checks = {
    "yamale": by_yamale,
    "pykwalify": lambda text: pykwalify.core.Core(source_data=text, schema_data={"type": "str", "pattern": "a+"}).validate(),
    "voluptuous": voluptuous.Schema(voluptuous.Match("a+")),
    "marshmallow": lambda text: Text().load({"q": text}),
    "schema": schema.Schema(schema.Regex("a+")).validate,
    "cerberus": by_cerberus,
}
for name, check in checks.items():
    seen = []
    for text in ("aa", "aab!", "xaa", "aa\n"):
        try:
            check(text)
            seen.append("valid")
        except Exception:
            seen.append("refused")
    print(name, *seen)
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
yamale valid valid refused valid
pykwalify valid valid refused valid
voluptuous valid valid refused valid
marshmallow valid valid refused valid
schema valid valid valid valid
cerberus valid refused refused valid
SEEN
echo "seen as described"
