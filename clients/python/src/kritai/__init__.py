"""The client of the Kritai reward-model API. This module is the package's public face; trainers'
shims are in `kritai.shims`."""

from kritai.async_client import AsyncKritai
from kritai.batch import AsyncBatch, Batch, BatchState
from kritai.client import Kritai
from kritai.drift_probe import DriftProbe
from kritai.errors import (
    BadReply,
    DeadlineExceeded,
    FieldFault,
    InvalidRequest,
    KritaiError,
    MissingField,
    NoScore,
    NotFound,
    Overloaded,
    Problem,
    ServerFault,
    TooLarge,
    Unauthorized,
    Unavailable,
    UnsupportedContent,
)
from kritai.open_group import AsyncOpenGroup, GroupState, OpenGroup
from kritai.reply_types import GroupEvent, GroupResult, Rewards, RewardsEvent, RolloutResult
from kritai.request_types import (
    File,
    Group,
    Message,
    Messages,
    Rollout,
    RubricItem,
    SignalsSpec,
    Spec,
    TestCase,
    TestResult,
    Trajectory,
    VerdictItem,
)
from kritai.retry_policy import RetryPolicy
from kritai.reward_warnings import KritaiWarning
from kritai.splitting import Limits
from kritai.thinking import drop_thinking
from kritai.verdict_types import Verdicts
from kritai.way import Way

__all__ = [
    "AsyncBatch",
    "AsyncKritai",
    "AsyncOpenGroup",
    "BadReply",
    "Batch",
    "BatchState",
    "DeadlineExceeded",
    "DriftProbe",
    "FieldFault",
    "File",
    "Group",
    "GroupEvent",
    "GroupResult",
    "GroupState",
    "InvalidRequest",
    "Kritai",
    "KritaiError",
    "KritaiWarning",
    "Limits",
    "Message",
    "Messages",
    "MissingField",
    "NoScore",
    "NotFound",
    "OpenGroup",
    "Overloaded",
    "Problem",
    "RetryPolicy",
    "Rewards",
    "RewardsEvent",
    "Rollout",
    "RolloutResult",
    "RubricItem",
    "ServerFault",
    "SignalsSpec",
    "Spec",
    "TestCase",
    "TestResult",
    "TooLarge",
    "Trajectory",
    "Unauthorized",
    "Unavailable",
    "UnsupportedContent",
    "VerdictItem",
    "Verdicts",
    "Way",
    "drop_thinking",
]
