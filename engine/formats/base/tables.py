"""A table of any format: the three roles that all of them have."""

from typing import Protocol

from engine.formats.base.commits import Committer
from engine.formats.base.files import FileInventory
from engine.formats.base.views import TableView


class OpenTable(TableView, FileInventory, Committer, Protocol):
    """A table as loaded at one point in time."""
