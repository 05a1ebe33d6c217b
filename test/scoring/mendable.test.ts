// Which replies with gaps a retry may complete, by the codes of their gaps and the verifier's faults.
import { expect, test } from "vitest";
import type { GroupResult } from "../../src/core/contract/replies.ts";
import { ITEM_ERRORS, type ItemErrorCode } from "../../src/core/faults/errors.ts";
import { isMendable } from "../../src/scoring/mendable.ts";

const reply = (error: ItemErrorCode | null, failed: number) => ({
  groups: [{ rollouts: [{ error: null }, { error }], verifier: { failed } }] as unknown as GroupResult[],
});
const CODES = Object.keys(ITEM_ERRORS) as ItemErrorCode[];

test("what failed for want of a server or of time may come; what the texts and facts lack does not", () => {
  expect(CODES.filter((code) => isMendable(reply(code, 0)))).toEqual([
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
  expect(isMendable(reply(null, 3))).toBe(false);
});

test("what is undecided may come only where the verifier failed at something", () => {
  const undecided = CODES.filter((code) => isMendable(reply(code, 1)) && !isMendable(reply(code, 0)));
  expect(undecided).toEqual(["partial", "rubric_undecided", "no_majority"]);
});
