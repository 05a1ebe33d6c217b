"""Defines what a reply's objects are: mappings whose missing fields are told by name, not by a bare
KeyError."""

from __future__ import annotations

from typing import Any, NoReturn

from kritai.errors import MissingField, Problem

TOLD_MAX = 12
"""Names of fields that are there, told beside the one that is not."""


class Fields(dict[str, Any]):
    """An object of a reply. A field that is not there raises MissingField; `.get` and `in` are as of
    any dict."""

    __slots__ = ()

    def __missing__(self, name: str) -> NoReturn:
        there = ", ".join([*list(self)[:TOLD_MAX], *(["..."] if len(self) > TOLD_MAX else [])])
        why = "an older server does not send it, or this spec has none"
        detail = f"the reply has no field {name!r} beside {there or 'nothing'}: {why}; .get({name!r}) gives None"
        raise MissingField(Problem("bad_reply", detail, status=200))

    def copy(self) -> Fields:
        return type(self)(self)


class Reply(Fields):
    """A whole reply, which knows its request."""

    __slots__ = ("_request_id",)

    def __init__(self, fields: dict[str, Any], request_id: str | None) -> None:
        super().__init__(fields)
        self._request_id = request_id

    def __missing__(self, name: str) -> NoReturn:
        detail = f"the reply has no field {name!r}: is base_url a Kritai of this client's version?"
        raise MissingField(Problem("bad_reply", detail, status=200, request_id=self._request_id))

    def copy(self) -> Reply:
        return Reply(self, self._request_id)

    def __reduce__(self) -> tuple[type[Reply], tuple[dict[str, Any], str | None]]:
        return Reply, (dict(self), self._request_id)


def as_fields(value: Any) -> Any:
    """Results that the client itself makes in place of a reply, with objects as those of a reply."""
    if isinstance(value, dict):
        return Fields({name: as_fields(member) for name, member in value.items()})
    return [as_fields(member) for member in value] if isinstance(value, list) else value
