"""The client's errors: one class for each kind of failure, all carrying the server's problem
document."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class FieldFault:
    """One field at fault: `path` is like `groups[3].rollouts[0].text`."""

    path: str
    message: str


@dataclass(frozen=True)
class Problem:
    """A description of a failure: the server's RFC 9457 document, or the client's in the same form.

    `status` is None without a reply. `retryable`: whether the same request may succeed
    later; `retry_after_s`: after how long.
    """

    code: str
    detail: str
    status: int | None = None
    request_id: str | None = None
    retryable: bool = False
    errors: tuple[FieldFault, ...] = ()
    retry_after_s: float | None = None


class KritaiError(Exception):
    """Any failure of a whole request. Never carries a key, a URL or a text that was sent."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.problem = problem

    @property
    def code(self) -> str:
        return self.problem.code

    @property
    def status(self) -> int | None:
        return self.problem.status

    @property
    def errors(self) -> tuple[FieldFault, ...]:
        return self.problem.errors

    @property
    def request_id(self) -> str | None:
        return self.problem.request_id

    @property
    def retryable(self) -> bool:
        return self.problem.retryable

    def __str__(self) -> str:
        told = self.problem.detail
        faults = [fault for fault in self.errors if f"{fault.path}: {fault.message}" not in told]
        named = "".join(f"\n  {fault.path}: {fault.message}" for fault in faults if fault.message not in told)
        request = f" (request {self.request_id})" if self.request_id else ""
        return f"{self.code}: {told}{request}{named}"


class InvalidRequest(KritaiError):  # noqa: N818
    """The request does not fit the contract (400, 405, 406, 409, 415, 422), or names a model that the key may not
    have (403 `model_not_allowed`); `errors` names the fields."""


class UnsupportedContent(InvalidRequest):
    """A prompt, a completion or a row holds what the verifier is not shown: calls of tools, their
    results, images, further turns. Raised before anything is sent, or by the server (400); `errors`
    names each place. Write it into the text that is judged, or leave it out."""


class Unauthorized(KritaiError):  # noqa: N818
    """No key or a wrong one (401, 403)."""


class NotFound(KritaiError):  # noqa: N818
    """No such path, or nothing under this id (404)."""


class TooLarge(KritaiError):  # noqa: N818
    """The body is over the server's limit (413) although a single group was sent."""


class Overloaded(KritaiError):  # noqa: N818
    """The server is taking all the work that it can (429), also after the retries."""


class Unavailable(KritaiError):  # noqa: N818
    """The server could not be reached or is not able to answer now, also after the retries: no
    connection, 408, 502, 503, 504.

    Also 409, when an earlier attempt of the request was still under way at the call's end.
    """


class DeadlineExceeded(KritaiError):  # noqa: N818
    """`timeout_s` of the call passed before there was an answer."""


class ServerFault(KritaiError):  # noqa: N818
    """A fault in the server (500 and what else is not expected)."""


class BadReply(KritaiError):  # noqa: N818
    """The reply is not what the contract says: cut, not JSON, or of another length than the
    request."""


class MissingField(BadReply, KeyError):  # noqa: N818
    """A field of a reply that the server did not send: an older one, or a spec that has none."""


class NoScore(KritaiError):  # noqa: N818
    """A tool that takes numbers only asked for a missing reward, and no `fallback` was declared."""


NOT_FOUND = 404

_BY_STATUS: dict[int, type[KritaiError]] = {
    401: Unauthorized,
    403: Unauthorized,
    404: NotFound,
    408: Unavailable,
    413: TooLarge,
    429: Overloaded,
    502: Unavailable,
    503: Unavailable,
    504: Unavailable,
}

_BY_CODE: dict[str, type[KritaiError]] = {
    "unsupported_content": UnsupportedContent,
    "model_not_allowed": InvalidRequest,
}
"""Codes that say more than their status."""

STILL_UNDER_WAY = 409
"""The reply to a request whose earlier attempt the server is still working on; its document says
`"retryable": true`."""

_RETRIED_UNSAID = frozenset({408, 429, 502, 503, 504})
RETRIED_STATUSES = _RETRIED_UNSAID | {STILL_UNDER_WAY}
"""Replies after which the same request is sent again, unless their document says
`"retryable": false`."""


def error_of_reply(status: int, body: bytes, request_id: str | None, retry_after_s: float | None) -> KritaiError:
    """The error for a reply that is not 2xx. A body other than a problem document (a proxy's page) is
    not quoted."""
    document = _problem_document(body)
    if document is None:
        retryable = status in _RETRIED_UNSAID or status >= 500
        detail = "the reply is no problem document"
        if status == NOT_FOUND:
            detail += ": is base_url the address of Kritai itself, without a path such as /v1?"
        return _kind(status, retryable)(
            Problem(f"http_{status}", detail, status, request_id, retryable, retry_after_s=retry_after_s)
        )
    faults = document.get("errors")
    errors = tuple(
        FieldFault(str(fault.get("path", "")), str(fault.get("message", "")))
        for fault in (faults if isinstance(faults, list) else [])
        if isinstance(fault, dict)
    )
    retryable = bool(document.get("retryable", status in _RETRIED_UNSAID))
    kind = _BY_CODE.get(document["code"]) or _kind(status, retryable)
    return kind(
        Problem(
            code=str(document["code"]),
            detail=str(document.get("detail", document.get("title", ""))),
            status=status,
            request_id=str(document.get("request_id") or request_id or "") or None,
            retryable=retryable,
            errors=errors,
            retry_after_s=retry_after_s,
        )
    )


def _kind(status: int, retryable: bool) -> type[KritaiError]:
    if status == STILL_UNDER_WAY and retryable:
        return Unavailable
    return _BY_STATUS.get(status, InvalidRequest if 400 <= status < 500 else ServerFault)


def _problem_document(body: bytes) -> dict[str, Any] | None:
    try:
        document = json.loads(body)
    except ValueError:
        return None
    return document if isinstance(document, dict) and isinstance(document.get("code"), str) else None
