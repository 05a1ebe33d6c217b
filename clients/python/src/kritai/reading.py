"""The reading of what came back: a reply's JSON, a refusal, a lost connection."""

from __future__ import annotations

import json
import os
import ssl
import time
from typing import Any, NoReturn

import httpx

from kritai.errors import BadReply, InvalidRequest, KritaiError, Problem, Unavailable, error_of_reply
from kritai.reach import NO_CONNECTION
from kritai.reply_fields import Fields, Reply
from kritai.retry_policy import retry_after_s


async def raise_for(response: httpx.Response) -> NoReturn:
    content = await response.aread()
    wait_s = retry_after_s(response.headers.get("retry-after"), time.time())
    raise error_of_reply(response.status_code, content, response.headers.get("x-request-id"), wait_s)


def transport_error(fault: httpx.HTTPError) -> KritaiError:
    """Names the class only, except where no connection was made: other texts may quote headers."""
    kind = type(fault).__name__
    if isinstance(fault, (httpx.ConnectError, httpx.ConnectTimeout)):
        return Unavailable(Problem(NO_CONNECTION, f"no connection: {_cause_of(fault) or kind}", retryable=True))
    if isinstance(fault, (httpx.LocalProtocolError, httpx.UnsupportedProtocol)):
        return InvalidRequest(Problem("invalid_request", f"the request cannot be sent ({kind})"))
    if isinstance(fault, httpx.TransportError):
        detail = f"the connection was lost before the reply was whole ({kind})"
        return Unavailable(Problem("connection_lost", detail, retryable=True))
    return BadReply(Problem("bad_reply", f"the reply cannot be read ({kind})"))


def _cause_of(fault: BaseException) -> str:
    """The system's own word for it ("Connection refused"), which httpx keeps below its own."""
    below: BaseException | None = fault
    while below is not None:
        if isinstance(below, ssl.SSLError):  # one of the system's too, whose number means another thing
            return f"TLS: {getattr(below, 'verify_message', None) or below.reason}"
        if isinstance(below, OSError) and below.errno and below.strerror:
            # A resolver's numbers are below 0, and its own; a system's text may hold the address.
            return os.strerror(below.errno) if below.errno > 0 else below.strerror
        below = below.__cause__ or below.__context__
    return str(fault)


def parsed(content: bytes, request_id: str | None) -> Any:
    """JSON, with white space before it as slow replies have it. NaN and Infinity are not JSON."""
    try:
        reply = json.loads(content, parse_constant=_refuse_constant, object_hook=Fields)
        return Reply(reply, request_id) if isinstance(reply, dict) else reply
    except ValueError:
        detail = "the reply is not JSON, or was cut"
        raise BadReply(Problem("bad_reply", detail, status=200, request_id=request_id)) from None


def parsed_line(line: str) -> dict[str, Any]:
    """A line of an NDJSON stream."""
    event = parsed(line.encode(), None)
    if not isinstance(event, dict):
        raise BadReply(Problem("bad_reply", "a line of the stream is no object", status=200))
    return event


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)
