"""URLs of rows elsewhere: which lie below a root, and which are not followed at all."""

import posixpath
from urllib.parse import quote, unquote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.cases import each_of
from trialrun.values.remote_location import (
    HostileLocation,
    at_root,
    has_password,
    is_below,
    is_remote,
    parse_location,
    parse_root,
    suggest_root,
)


def accepted(text: str, root: str) -> str | None:
    """The URL that a program is given for a text, None where it does not lie below a root."""
    location, parent = parse_location(text), parse_root(root)
    return at_root(location, parent).url if is_below(location, parent) else None


@each_of(
    [
        ("s3a://lake/guests/*.parquet", "s3a://lake/", "s3a://lake/guests/*.parquet"),
        ("s3a://lake/guests/*.parquet", "s3a://lake/guests", "s3a://lake/guests/*.parquet"),
        ("S3A://LAKE/guests/", "s3a://lake/guests/", "s3a://lake/guests"),
        ("hdfs://name:8020/w/day=2026%3A1/a.csv", "hdfs://Name:8020/w/", "hdfs://Name:8020/w/day=2026%3A1/a.csv"),
        ("hdfs:///w/a.csv", "hdfs:///w", "hdfs:///w/a.csv"),
        ("file:///mnt/lake/a.csv", "/mnt/lake/", "file:///mnt/lake/a.csv"),
        ("abfss://raw@acme.dfs.core.windows.net/a", "abfss://raw@acme.dfs.core.windows.net/", "abfss://raw@acme.dfs.core.windows.net/a"),
        ("jdbc:postgresql://DB/shop", "jdbc:postgresql://db/shop", "jdbc:postgresql://db/shop"),
        ("jdbc:postgresql://db/shop", "jdbc:postgresql://db/shop?user=reader", "jdbc:postgresql://db/shop?user=reader"),
        ("jdbc:postgresql://db:5432/shop", "jdbc:postgresql://db:5432/", "jdbc:postgresql://db:5432/shop"),
        ("jdbc:sqlserver://h:1433;databaseName=shop", "jdbc:sqlserver://h:1433;databaseName=shop;encrypt=true", "jdbc:sqlserver://h:1433;databaseName=shop;encrypt=true"),
        ("jdbc:oracle:thin:@//h:1521/shop", "jdbc:oracle:thin:@//h:1521/", "jdbc:oracle:thin:@//h:1521/shop"),
    ],
)  # fmt: skip
def test_what_lies_below_a_root(text: str, root: str, url: str) -> None:
    assert is_remote(text)
    assert accepted(text, root) == url


@each_of(
    [
        ("s3a://lake/guests-evil/a.csv", "s3a://lake/guests"),
        ("s3a://lake/guests-evil/a.csv", "s3a://lake/guests/"),
        ("s3a://lake-evil/guests/a.csv", "s3a://lake/"),
        ("s3a://lake.evil.example/guests/a.csv", "s3a://lake/"),
        ("s3a://lake/Guests/a.csv", "s3a://lake/guests/"),
        ("s3a://lake/a.csv", "s3a://lake/guests/"),
        ("s3a://lake/*/a.csv", "s3a://lake/guests/"),
        ("s3://lake/guests/a.csv", "s3a://lake/guests/"),
        ("hdfs://other/w/a.csv", "hdfs:///w/"),
        ("hdfs://name:8021/w/a.csv", "hdfs://name:8020/w/"),
        ("file:///mnt/lakes/a.csv", "/mnt/lake"),
        ("abfss://secret@acme.dfs.core.windows.net/a", "abfss://raw@acme.dfs.core.windows.net/"),
        ("jdbc:postgresql://db/shop2", "jdbc:postgresql://db/shop"),
        ("jdbc:postgresql://db/shop/x", "jdbc:postgresql://db/"),
        ("jdbc:postgresql://db,evil/shop", "jdbc:postgresql://db/"),
        ("jdbc:postgresql://db.evil/shop", "jdbc:postgresql://db/"),
        ("jdbc:postgresql://db/shop?socketFactory=x", "jdbc:postgresql://db/shop"),
        ("jdbc:postgresql://db/shop?user=reader", "jdbc:postgresql://db/shop?user=reader"),
        ("jdbc:mysql://db/shop&allowLoadLocalInfile=true", "jdbc:mysql://db/shop"),
        ("jdbc:h2:mem:x;INIT=RUNSCRIPT", "jdbc:h2:mem:x"),
        ("jdbc:sqlserver://h:1433;databaseName=other", "jdbc:sqlserver://h:1433;databaseName=shop"),
    ]
)
def test_what_lies_elsewhere(text: str, root: str) -> None:
    assert accepted(text, root) is None


@each_of(
    [
        ("s3a://lake/guests/../a.csv", "contains .. as a folder"),
        ("s3a://lake/guests/./a.csv", "contains . as a folder"),
        ("s3a://lake/guests/%2e%2e/a.csv", "contains .. as a folder"),
        ("s3a://lake/guests/%252E%252e/a.csv", "contains .. as a folder"),
        ("s3a://lake/guests/.%2e/a.csv", "contains .. as a folder"),
        ("s3a://lake/guests/..%2f/a.csv", "escaped character"),
        ("s3a://lake/guests/a%00.csv", "escaped character"),
        ("s3a://lake/guests/a%5c..%5cb.csv", "escaped character"),
        ("s3a://lake/guests/%25252525252e/a", "again and again"),
        ("s3a://lake/guests/%c0%ae%c0%ae/a", "no text"),
        ("s3a://lake/{guests/x,../pay}/a.csv", "contains {"),
        ("s3a://lake/[.][.]/a.csv", "contains ["),
        ("s3a://lake/guests\\..\\a.csv", "contains \\"),
        ("s3a://lake//guests/a.csv", "contains //"),
        ("s3a://lake/guests/a.csv?x=1", "contains ?"),
        ("s3a://lake/guests/a.csv#x", "contains #"),
        ("s3a://lake/guests/a\n.csv", "contains U+000A"),
        (" s3a://lake/a.csv", "begins or ends with a space"),
        ("s3a://AKIA:secret@lake/a.csv", "has a user"),
        ("s3a://lake@evil/a.csv", "has a user"),
        ("abfss://raw:secret@acme/a.csv", "has a user"),
        ("s3a://la*ke/a.csv", "not a plain name"),
        ("s3a://[::1]/a.csv", "not a plain name"),
        ("s3a:///a.csv", "names no bucket"),
        ("s3a:lake/a.csv", "write s3a://"),
        ("file:/etc/passwd", "write file://"),
        ("file://host/etc/passwd", "has a host"),
        ("https://host/a.csv", 'no scheme "https"'),
        ("ftp://host/a.csv", 'no scheme "ftp"'),
        ("jdbc:", "no URL of a database"),
        ("jdbc:postgresql:", "no URL of a database"),
        ("jdbc:postgresql://db/a b", "no URL of a database"),
        ("jdbc:postgresql://dß/shop", "no URL of a database"),
        ("jdbc:postgresql://me:secret@db/shop", "has a user"),
        ("jdbc:oracle:thin:me/secret@//h/shop", "has a user"),
        ("jdbc:derby:/mnt/lake/../other", "contains .."),
        ("jdbc:derby:/mnt/lake/%2e%2e/other", "contains .."),
    ],
)  # fmt: skip
def test_what_no_program_is_given(text: str, reason: str) -> None:
    with pytest.raises(HostileLocation) as refused:
        parse_location(text)
    assert reason in str(refused.value)
    assert "secret" not in str(refused.value)


@each_of(["/", "file:///", "hdfs:///", "s3a://lake/*/x", "jdbc:postgresql://", "mnt/lake", "lake"])
def test_what_is_no_root(root: str) -> None:
    with pytest.raises(HostileLocation):
        parse_root(root)


def test_a_password_of_a_root_is_seen() -> None:
    assert has_password(parse_root("jdbc:postgresql://db/shop?user=a&password=b"))
    assert has_password(parse_root("jdbc:postgresql://db/shop?sslpassword=b"))
    assert not has_password(parse_root("jdbc:postgresql://db/shop?user=a&ssl=true"))


@each_of(["data/a.csv", "a:b.csv", "C:\\a.csv", "/mnt/a.csv", "s3a", "file", ""])
def test_paths_of_this_machine(text: str) -> None:
    assert not is_remote(text)


@each_of(
    [
        ("s3a://lake/a/b/*.csv", "s3a://lake/a/b/"),
        ("s3a://lake/a/*/c/x.csv", "s3a://lake/a/"),
        ("s3a://lake/x.csv", "s3a://lake/"),
        ("file:///mnt/a.csv", "file:///mnt/"),
        ("jdbc:postgresql://db/shop", "jdbc:postgresql://db/shop"),
    ]
)
def test_the_root_that_is_suggested_would_do(text: str, root: str) -> None:
    assert suggest_root(parse_location(text)) == root
    assert accepted(text, root)


PIECES = [
    "a", "guests", "..", ".", "", "%2e%2e", "%252e.", "..%2f", "{a,..}", "[.]", "*", "**", "@", ":", "?x", "#", "\\",
    "evil", " ", "%",
]  # fmt: skip
PATHS = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=4)), max_size=6).map("/".join)


@given(PATHS)
@example("guests/../../other")
def test_no_reading_of_what_is_accepted_leads_out(path: str) -> None:
    try:
        url = accepted(f"s3a://lake/guests/{path}", "s3a://lake/guests/")
    except HostileLocation:
        return
    assert url is not None
    for reading in (url, unquote(url), unquote(unquote(url))):
        assert posixpath.normpath(reading.removeprefix("s3a://lake")).split("/")[:2] == ["", "guests"]
        assert not set(reading) & set("?#{}[]\\\n\0")


@given(st.lists(st.text("abc-=._~ é%", min_size=1, max_size=5), min_size=1, max_size=4))
def test_plain_names_are_accepted_as_they_are(names: list[str]) -> None:
    names = [name for name in names if name not in (".", "..")] or ["a"]
    path = "/".join(names).strip() or "a"
    if any(part.strip(".") == "" and len(part) < 3 for part in path.split("/")) or unquote(path) != path:
        return
    assert accepted(f"s3a://lake/{path}", "s3a://lake/") == f"s3a://lake/{path}"


@given(st.text(max_size=30))
def test_any_text_is_a_location_or_refused(text: str) -> None:
    for start in ("", "s3a://", "jdbc:", "jdbc:x:", "file:///", quote("s3a://")):
        try:
            parse_location(start + text)
        except HostileLocation as problem:
            assert "\n" not in str(problem)
