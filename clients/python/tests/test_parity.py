"""The blocking client has the async one's methods, each with the same options and defaults."""

from __future__ import annotations

import inspect
import typing
from typing import Any

import pytest

from kritai import AsyncBatch, AsyncKritai, AsyncOpenGroup, Batch, Kritai, OpenGroup
from kritai import client as blocking
from kritai.run_log import AsyncRunLog

PAIRS: list[tuple[type, type]] = [
    (Kritai, AsyncKritai),
    (Batch, AsyncBatch),
    (OpenGroup, AsyncOpenGroup),
    (blocking.RunLog, AsyncRunLog),
]
ALONE = {"close", "aclose", "start"}
"""Closing has two names; `start` takes coroutines over the async client."""


def methods(of: type) -> dict[str, Any]:
    return {name: each for name, each in vars(of).items() if callable(each) and not name.startswith("_")}


def options_of(method: Any) -> dict[str, object]:
    """Its options by name with their defaults; for options in a TypedDict the names alone."""
    found: dict[str, object] = {}
    for name, parameter in inspect.signature(method).parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            wrapped = str(parameter.annotation).removeprefix("Unpack[").removesuffix("]")
            kinds = vars(inspect.getmodule(method))
            found |= dict.fromkeys(typing.get_type_hints(kinds[wrapped]), ...)
        else:
            found[name] = parameter.default
    return found


@pytest.mark.parametrize(("one", "other"), PAIRS, ids=lambda of: of.__name__)
def test_methods_and_their_options_are_the_same(one: type, other: type) -> None:
    ours, theirs = methods(one), methods(other)
    assert ours.keys() - ALONE == theirs.keys() - ALONE
    for name in ours.keys() & theirs.keys():
        own, its = options_of(ours[name]), options_of(theirs[name])
        assert own.keys() == its.keys(), name
        said = [option for option in own if ... not in (own[option], its[option])]
        assert {option: own[option] for option in said} == {option: its[option] for option in said}, name
