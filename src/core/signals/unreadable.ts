// The setting `unreadable`: the value of a rollout that a kind of signal cannot read. By default the rollout
// loses; `null` gives it no value.

import * as z from "zod";
import { said } from "#said";
import type { RolloutValue } from "../asking/plan.ts";
import { valued, without } from "../asking/signal-value.ts";
import type { ItemErrorCode } from "../faults/errors.ts";

/** Setting of every kind that reads the policy's text. The canonical form omits the default `lose`. */
export const UnreadableSchema = z
  .enum(["lose", "null"])
  .optional()
  .meta(
    said(
      "value of a rollout whose text cannot be read: lose (default) is the lowest value, as for a wrong answer; null is no value, which a policy may prefer to losing",
    ),
  );

export interface UnreadableRule {
  unreadable?: "lose" | "null" | undefined;
}

/**
 * The value of a rollout that cannot be read. `code` is the reason, which is reported whether the rollout
 * loses or has no value.
 */
export const unread = ({ unreadable }: UnreadableRule, code: ItemErrorCode, lowest = 0): RolloutValue =>
  unreadable === "null"
    ? { value: without(code), detail: null }
    : { value: valued(lowest), detail: { unreadable: code } };
