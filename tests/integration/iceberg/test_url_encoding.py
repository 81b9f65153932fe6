"""URL-encoded names are decoded in columns as Python's standard library decodes them one by one."""

from urllib.parse import quote_plus

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.formats.iceberg.removal.inventories.url_encoding import url_decoded
from engine.formats.intake.limits import Malformed

NAMES = st.lists(st.none() | st.text("ab%+ =ü€😀/\n\x00-_.~4", max_size=12) | st.text(max_size=8), max_size=20)


@given(NAMES, st.integers(0, 5), st.sampled_from(["", "/", "/="]))
def test_every_name_comes_back(names: list[str | None], start: int, safe: str) -> None:
    encoded = pa.array([None if name is None else quote_plus(name, safe=safe) for name in names], pa.string())
    assert url_decoded(encoded.slice(start)).to_pylist() == names[start:]


@pytest.mark.parametrize("name", ["%", "a%4", "%zz", "%4g", "%%41", "a%\n1", "%ff", "%c3", "%ed%a0%80"])
def test_a_name_that_is_not_encoded_is_refused(name: str) -> None:
    with pytest.raises(Malformed):
        url_decoded(pa.array(["ok", name, "x"]))
