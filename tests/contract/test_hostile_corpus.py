"""10,000 hostile strings as names, predicates and values: none changes the structure of what is sent or written.

With PACKHOUSE_DEEP there are 100,000.
Spark is sent no SQL text but what one builder made, which the first tests hold (`tests/spark/test_native_sql.py` tries
that builder on Spark itself); all else that is sent is data in fields of its own.
"""

import ast
import io
import json
import logging
import os
import random
import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote_plus, urlsplit

import pytest
import structlog
from pydantic import TypeAdapter, ValidationError
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import IdentityTransform
from pyiceberg.typedef import Record
from pyiceberg.types import NestedField, StringType
from sqlalchemy import Engine, event
from starlette.requests import Request

from api.http.errors import problem
from engine.domain.errors import FieldProblem, InvalidInput
from engine.domain.tables.predicates import Comparison, PartitionPredicate
from engine.domain.tables.table import TableRef
from engine.domain.values.uris import masked
from engine.logging import configure_logging
from engine.services.catalogs.names import check_table_ref
from tests.support.world import make_lake

ROOT = Path(__file__).parents[2]
COUNT = 100_000 if os.environ.get("PACKHOUSE_DEEP") else 10_000
AT_ONCE = 20
FRAGMENTS = [
    "'", '"', "`", ";", "--", "/*", "*/", "\\", "\\'", "%", "_", "$", "{", "}", "{{7*7}}", "${x}", "%s", "%(x)s", ":x",
    "' OR '1'='1", "; DROP TABLE runs; --", "UNION SELECT", "\n", "\r\n", "\t", "\x00", "\x1b[31m", "\x1f", "\x7f",
    "\u2028", "\u202e", "\ufeff", "\u0301", "\ud800", "\U0001f5dc", "ß", "İ", "../", "..", "/", "//", "%2e%2e%2f",
    "%00", "#", "&", "=", "?", "file:///etc/x", "s3://x", "<script>", "]]>", "</", '","x":"', '"}', "[", "]", "null",
    "NaN", "true", "-1", "1e999", "a", "day", "lake", " ", ".", ",", "|", "@", "~", "*", "x" * 300,
]  # fmt: skip


@pytest.fixture(scope="module")
def corpus() -> list[str]:
    """The same strings every time, each of one to six fragments or characters from anywhere in Unicode."""
    seed = random.Random("hostile")
    return ["".join(_piece(seed) for _ in range(seed.randint(1, 6))) for _ in range(COUNT)]


@pytest.fixture(scope="module")
def batches(corpus: list[str]) -> list[list[str]]:
    """The same strings, some at once, for what takes long each time."""
    return [corpus[start : start + AT_ONCE] for start in range(0, COUNT, AT_ONCE)]


@pytest.fixture(scope="module")
def names(corpus: list[str]) -> list[str]:
    """Those that may be names of tables, which go on to the catalog."""
    found = [name for name in corpus if _is_name(name)]
    assert len(found) > COUNT // 20
    return found


def test_spark_is_sent_sql_of_the_one_builder_only() -> None:
    """One place hands texts to Spark, two modules call it, and each text there is what `engine.spark.sql` returned."""
    sent = {place.split(":")[0] for place, call in _calls("engine") if _name_of(call) in {"sql", "expr", "selectExpr"}}
    assert sent == {"engine/spark/dispatch.py"}
    texts = {
        place: ast.unparse(call.args[1])
        for place, call in _calls("engine")
        if _name_of(call) in {"execute", "rows"} and ast.unparse(call.func.value).endswith("dispatcher")
    }
    assert {place.split(":")[0] for place in texts} == {"engine/spark/native.py", "engine/spark/catalogs.py"}
    assert [text for text in texts.values() if not re.fullmatch(r"sql[.][a-z_]+[(].*[)]", text)] == []


def test_sql_text_of_the_record_is_written_in_the_code() -> None:
    texts = [
        (place, call) for place, call in _calls("engine/stores", "api") if _name_of(call) in {"text", "exec_driver_sql"}
    ]
    assert texts
    assert [place for place, call in texts if isinstance(call.args[0], ast.BinOp)] == []
    parts = [
        part.value
        for _, call in texts
        if isinstance(call.args[0], ast.JoinedStr)
        for part in call.args[0].values
        if isinstance(part, ast.FormattedValue)
    ]
    assert [ast.unparse(part) for part in parts if not isinstance(part, ast.IfExp)] == []  # a choice of two constants


def test_names_that_are_accepted_are_one_plain_line_without_globs(names: list[str]) -> None:
    assert [name for name in names if any(map(_turns_or_hides, name))] == []
    assert [name for name in names if set(name) & set("*?[]{}") or len(name) > 255] == []


def _turns_or_hides(character: str) -> bool:
    """Tell whether a character ends a line, is half of one, or changes how text is seen (by Unicode's own classes)."""
    is_invisible = character in "\u00ad\u180e\u200b\u200c\u200d\u2060\ufeff"
    turns = unicodedata.bidirectional(character) in {"B", "LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    return is_invisible or turns or unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"}


def test_a_name_is_one_segment_of_a_catalogs_address(names: list[str]) -> None:
    catalog = RestCatalog.__new__(RestCatalog)
    catalog._namespace_separator = "\x1f"
    for name in names:
        parts = catalog._split_identifier_for_path((name, name))
        assert unquote_plus(parts["table"].replace("+", "%2B")) == name
        for part in parts.values():
            split = urlsplit(f"http://catalog/v1/{part}/end")
            assert split.path.count("/") == 3
            assert (split.query, split.fragment) == ("", "")


def test_a_name_is_a_value_in_a_sql_catalog(names: list[str], tmp_path: Path) -> None:
    lake = make_lake(tmp_path, days=0, files=0)
    statements: set[str] = set()

    def seen(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        statements.add(statement)

    event.listen(Engine, "before_cursor_execute", seen)
    try:
        assert [name for name in names[:500] if lake.catalog.table_exists((name, name))] == []
    finally:
        event.remove(Engine, "before_cursor_execute", seen)
    assert len(statements) == 1


def test_a_predicate_stays_what_it_was(corpus: list[str]) -> None:
    reader: TypeAdapter[PartitionPredicate] = TypeAdapter(PartitionPredicate)
    read = 0
    for word in corpus:
        written = {"column": word, "op": "in", "values": [word, "plain"]}
        try:
            predicate = reader.validate_python(written)
        except ValidationError:
            continue  # refused: nothing goes on
        read += 1
        assert isinstance(predicate, Comparison)
        assert (predicate.column, predicate.given()) == (word, (word, "plain"))
    assert read > COUNT // 20


def test_a_partitions_value_is_one_segment_of_a_path(corpus: list[str]) -> None:
    schema = Schema(NestedField(1, "day", StringType()))
    spec = PartitionSpec(PartitionField(1, 1000, IdentityTransform(), "day"))
    for word in corpus:
        if _is_text(word):
            path = spec.partition_to_path(Record(word), schema)
            assert path.startswith("day=")
            assert not set(path) & set("/\\\n\r\x00?#")


def test_a_problem_document_stays_one(batches: list[list[str]]) -> None:
    request = Request({"type": "http", "method": "GET", "path": "/v1/tables", "headers": [], "state": {}})
    for words in batches:
        fields = tuple(FieldProblem(f"/labels/{word}", word, word, word) for word in words)
        answer = problem(request, "invalid_input", "".join(words), errors=fields)
        document = json.loads(bytes(answer.body))
        assert (document["code"], document["detail"]) == ("invalid_input", "".join(words))
        for word, error in zip(words, document["errors"], strict=True):
            shown = word if len(word) <= 200 else f"{word[:200]}…"
            assert error == {
                "pointer": f"/labels/{word}",
                "message": word,
                "value": shown,
                "hint": word,
                "remedy": None,
            }
        assert [name for name, _ in answer.raw_headers] == [b"content-length", b"content-type"]


def test_a_log_line_stays_one(batches: list[list[str]], log: io.StringIO) -> None:
    logger = structlog.get_logger("hostile")
    for words in batches:
        logger.info("request", path="".join(words), detail={word: word for word in words})
    lines = log.getvalue().split("\n")
    assert lines.pop() == ""
    for words, line in zip(batches, lines, strict=True):
        entry = json.loads(line)
        assert (entry["event"], entry["path"]) == ("request", masked("".join(words)))
        assert entry["detail"] == {word: word for word in words}


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """The service's own logging, into a string; put back as it was after the test."""
    root, written = logging.getLogger(), io.StringIO()
    handlers, level, settings = root.handlers[:], root.level, structlog.get_config()
    configure_logging("INFO")
    [handler] = root.handlers
    assert isinstance(handler, logging.StreamHandler)
    handler.setStream(written)
    yield written
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.configure(**settings)


def _piece(seed: random.Random) -> str:
    return seed.choice(FRAGMENTS) if seed.random() < 0.8 else chr(seed.randrange(0x110000))


def _is_name(name: str) -> bool:
    try:
        check_table_ref(TableRef("lake", (name,), name))
    except InvalidInput:
        return False
    return True


def _is_text(word: str) -> bool:
    """Tell whether Iceberg can hold it: half a surrogate pair is no text."""
    return not any("\ud800" <= character <= "\udfff" for character in word)


@cache
def _calls(*folders: str) -> list[tuple[str, ast.Call]]:
    files = [file for folder in folders for file in sorted((ROOT / folder).rglob("*.py"))]
    return [
        (f"{file.relative_to(ROOT)}:{node.lineno}", node)
        for file in files
        if "migrations" not in file.parts
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.Call)
    ]


def _name_of(call: ast.Call) -> str:
    match call.func:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
        case _:
            return ""
