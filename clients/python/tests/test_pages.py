"""The Python on pages: it compiles, and what it imports from kritai is there."""

from __future__ import annotations

import importlib.util
import re
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGES = [ROOT / "README.md", ROOT / "clients/python/README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCKS = [
    pytest.param(block, id=f"{page.relative_to(ROOT)} {number}")
    for page in PAGES
    for number, block in enumerate(re.findall(r"^```python\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL))
]


@pytest.mark.parametrize("block", BLOCKS)
def test_python_on_a_page_compiles_and_imports_what_is_there(block: str) -> None:
    # A part of a coroutine may return and await.
    compile("async def part():\n" + textwrap.indent(block, "    "), "page", "exec")
    for module, names in re.findall(r"from (kritai[\w.]*) import ([\w, ]+)", block):
        found = importlib.util.find_spec(module)
        assert found is not None, module
        source = Path(str(found.origin)).read_text()
        for name in re.split(r", *", names.strip()):
            assert re.search(rf"\b{name}\b", source), f"{module} has no {name}"


def test_pages_have_python() -> None:
    assert len(BLOCKS) > 20
