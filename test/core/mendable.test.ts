// Which rewards that are missing another try may bring, by their codes and the verifier's faults.
import { expect, test } from "vitest";
import { ITEM_ERRORS, type ItemErrorCode } from "../../src/core/faults/errors.ts";
import { isMendable, mayCome } from "../../src/core/faults/mendable.ts";

const CODES = Object.keys(ITEM_ERRORS) as ItemErrorCode[];

test("what failed for want of a server or of time may come; what the texts and facts lack does not", () => {
  expect(CODES.filter((code) => mayCome(code, false))).toEqual([
    "verifier_unavailable",
    "verifier_overloaded",
    "verifier_bad_reply",
    "scalar_backend_saturated",
    "other_model",
    "deadline",
    "cancelled",
    "sandbox_failed",
    "checker_failed",
  ]);
});

test("what is undecided may come only where the verifier failed at something", () => {
  const undecided = CODES.filter((code) => mayCome(code, true) && !mayCome(code, false));
  expect(undecided).toEqual(["partial", "rubric_undecided", "no_majority"]);
});

test("a reply is mendable where one of its rewards is", () => {
  const reply = (...all: (boolean | undefined)[]) => ({
    groups: all.map((retryable) => ({ rollouts: [{}, retryable === undefined ? {} : { retryable }] })),
  });
  expect([reply(undefined), reply(false), reply(undefined, true)].map(isMendable)).toEqual([false, false, true]);
});
