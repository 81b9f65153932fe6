"""The chart's files that need no Helm: what is generated is up to date, and the defaults fit the schema."""

import json
import tomllib
from pathlib import Path

import pytest
import yaml
from jsonschema_rs import validator_for

from deploy.helm import generate
from tests.support.chart import CHART, ROOT, VALUES


def test_generated_files_of_the_chart_are_those_of_the_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert generate.main(["--check"]) == 0
    monkeypatch.setattr(generate, "CHART", tmp_path)
    assert generate.main(["--check"]) == 1
    assert capsys.readouterr().err.count("differs: run `python deploy/helm/generate.py`") == 5
    assert generate.main([]) == 0
    assert generate.main(["--check"]) == 0


def test_the_values_of_the_chart_fit_their_schema() -> None:
    schema = validator_for(json.loads((CHART / "values.schema.json").read_text()))
    defaults = yaml.safe_load((CHART / "values.yaml").read_text())
    assert [each.message for each in schema.iter_errors(defaults)] == []
    assert not schema.is_valid(defaults | {"sparc": {}})
    for path in VALUES.glob("*.yaml"):
        assert [each.message for each in schema.iter_errors(yaml.safe_load(path.read_text()))] == []


def test_every_value_has_a_default_and_every_default_a_place_in_the_schema() -> None:
    properties = json.loads((CHART / "values.schema.json").read_text())["properties"]
    assert properties.keys() - {"global"} == yaml.safe_load((CHART / "values.yaml").read_text()).keys()


def test_the_chart_has_the_version_of_the_server() -> None:
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert chart["version"] == chart["appVersion"] == project["version"]
