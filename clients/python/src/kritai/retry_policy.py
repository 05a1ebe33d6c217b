"""How long a request that failed waits before it is sent again."""

from __future__ import annotations

import email.utils
from dataclasses import dataclass


@dataclass(frozen=True)
class RetryPolicy:
    """Full jitter: attempt k waits a random share of min(cap_s, base_s * 2^k); after `Retry-After`
    at least that long."""

    retries_max: int = 6
    base_s: float = 0.5
    cap_s: float = 20.0

    def wait_s(self, tries: int, retry_after_s: float | None, share: float) -> float:
        """Seconds to wait after `tries` failures before this one. `share` is random in [0, 1)."""
        if retry_after_s is not None:
            return retry_after_s + share * self.base_s
        return share * float(min(self.cap_s, self.base_s * 2.0 ** min(tries, 64)))


def retry_after_s(value: str | None, now: float) -> float | None:
    """`Retry-After` as seconds from `now` (Unix time): a number, or a date; None when absent or
    neither."""
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = email.utils.parsedate_to_datetime(value).timestamp() - now
        except (TypeError, ValueError):
            return None
    return max(0.0, seconds) if seconds < float("inf") else None
