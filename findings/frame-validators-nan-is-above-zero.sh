#!/usr/bin/env bash
# Prices of 1.0 and NaN under the rule "above 0", by validators of frames of Polars 2.1.0: pandera 0.35.0 and patito 0.8.6 let
# NaN pass, as Polars orders it above all numbers, and refuse it under "from 0 to 5"; dataframely 3.1.2 refuses it. pandera over
# pandas 3.1.1 lets it pass under both. Coerced to integers, 1.7 is 1 in all four, without a message; and pandera over pandas
# coerces the text False to true.
# Guess before the run: NaN breaks each rule; 1.7 is refused where it is coerced.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'pandera[pandas,polars]==0.35.0' patito==0.8.6 dataframely==3.1.2 polars==2.1.0 pandas==3.1.1 pyarrow==26.0.1
venv/bin/python -W ignore - >seen <<'PROGRAM'
import dataframely
import pandas
import pandera.pandas
import pandera.polars
import patito
import polars


class Above(patito.Model):
    x: float = patito.Field(gt=0)


class Between(patito.Model):
    x: float = patito.Field(ge=0, le=5)


class Whole(patito.Model):
    x: int


class AboveZero(dataframely.Schema):
    x = dataframely.Float64(min_exclusive=0)


class BetweenBoth(dataframely.Schema):
    x = dataframely.Float64(min=0, max=5)


class Integers(dataframely.Schema):
    x = dataframely.Int64()


def schema(library, type, check=None, coerce=False):
    return library.DataFrameSchema({"x": library.Column(type, check, nullable=True, coerce=coerce)})


def accepts(validate, frame):
    try:
        validate(frame)
    except Exception:
        return "refuses"
    return "accepts"


prices = polars.DataFrame({"x": [1.0, float("nan")]})
for words, check, of_patito, of_dataframely in (
    ("above 0", pandera.pandas.Check.gt(0), Above, AboveZero),
    ("from 0 to 5", pandera.pandas.Check.in_range(0, 5), Between, BetweenBoth),
):
    print(words, "| pandera, pandas", accepts(schema(pandera.pandas, float, check).validate, prices.to_pandas()), end=" ")
    print("| pandera, polars", accepts(schema(pandera.polars, float, check).validate, prices), end=" ")
    print("| patito", accepts(of_patito.validate, prices), "| dataframely", accepts(of_dataframely.validate, prices))
parts = polars.DataFrame({"x": [1.7]})
print("1.7 coerced", [
    schema(pandera.pandas, int, coerce=True).validate(parts.to_pandas())["x"].tolist(),
    schema(pandera.polars, int, coerce=True).validate(parts)["x"].to_list(),
    Whole.DataFrame(parts).cast()["x"].to_list(),
    Integers.validate(parts, cast=True)["x"].to_list(),
])
print("False coerced", schema(pandera.pandas, bool, coerce=True).validate(pandas.DataFrame({"x": ["False"]}))["x"].tolist())
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
above 0 | pandera, pandas accepts | pandera, polars accepts | patito accepts | dataframely refuses
from 0 to 5 | pandera, pandas accepts | pandera, polars refuses | patito refuses | dataframely refuses
1.7 coerced [[1], [1], [1], [1]]
False coerced [True]
SEEN
echo "seen as described"
