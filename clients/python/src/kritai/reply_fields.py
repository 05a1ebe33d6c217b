"""The objects of a reply: mappings whose missing fields raise an error with the field's name, not a
bare KeyError."""

from __future__ import annotations

from typing import Any, NoReturn

from kritai.errors import MissingField, Problem

TOLD_MAX = 12
"""Maximum number of existing fields that the error for a missing one lists."""


class Fields(dict[str, Any]):
    """An object of a reply. A missing field raises MissingField; `.get` and `in` are a dict's."""

    __slots__ = ()

    def __missing__(self, name: str) -> NoReturn:
        there = ", ".join([*list(self)[:TOLD_MAX], *(["..."] if len(self) > TOLD_MAX else [])])
        why = "an older server does not send it, or this spec has none"
        detail = f"the reply has no field {name!r} beside {there or 'nothing'}: {why}; .get({name!r}) gives None"
        raise MissingField(Problem("bad_reply", detail, status=200))

    def copy(self) -> Fields:
        return type(self)(self)


class Reply(Fields):
    """A whole reply, with the id of its request."""

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
    """Converts results that the client itself makes in place of a reply to a reply's objects."""
    if isinstance(value, dict):
        return Fields({name: as_fields(member) for name, member in value.items()})
    return [as_fields(member) for member in value] if isinstance(value, list) else value
