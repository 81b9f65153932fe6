"""Secrets in addresses, connection strings and headers are masked, everything else of a text stays."""

import pytest

from engine.domain.values.uris import masked


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("no secret: s3://lake/a@b:c, 10 % of 3:4", "no secret: s3://lake/a@b:c, 10 % of 3:4"),
        ("at https://token@git.example/x failed", "at https://***@git.example/x failed"),
        ("at https://a:b@c/d", "at https://***@c/d"),
        ("'postgresql+psycopg://me:p@ss@h,i/d?sslmode=require'", "'postgresql+psycopg://me:***@h,i/d?sslmode=require'"),
        ("postgresql://me@h/d", "postgresql://me@h/d"),
        ("GET https://b.s3.example/k?X-Amz-Signature=abc&X-Amz-Date=1", "GET https://b.s3.example/k?***"),
        ("https://x.example/#access_token=abc", "https://x.example/#***"),
        ("AccountName=lake;AccountKey=abc==;x", "AccountName=lake;AccountKey=***;x"),
        ("adls.sas-token=sv=2022&sig=abc", "adls.sas-token=***&sig=***"),
        ("{'Authorization': 'Bearer abc'}", "{'Authorization': ***"),
        ("Set-Cookie: session=abc; Path=/", "Set-Cookie: ***"),
        ("Cookie: a=b", "Cookie: ***"),
        ("host=db password='x y' dbname=z", "host=db password='x y' dbname=z"),
    ],
)
def test_secrets_in_texts_are_masked(given: str, shown: str) -> None:
    assert masked(given) == shown


LONG = ["a" * 200_000, "a." * 100_000, "//" * 100_000, "token" * 40_000, "?a&" * 60_000, ";=" * 99_999]


@pytest.mark.parametrize("text", LONG)
def test_masking_a_long_text_ends(text: str) -> None:
    assert masked(text)
