// Defines what a text of the policy's comes to that a kind cannot read: it loses, unless the spec says that
// it has no value.

import * as z from "zod";
import { said } from "#said";
import type { RolloutValue } from "../asking/signal.ts";
import { valued, without } from "../asking/signal-value.ts";
import type { ItemErrorCode } from "../faults/errors.ts";

/** A setting of every kind that reads the policy's text. The canonical form leaves out `lose`. */
export const UnreadableSchema = z
  .enum(["lose", "null"])
  .optional()
  .meta(
    said(
      "what a rollout is worth whose text cannot be read: lose, the lowest value, as if it were wrong (default); null, no value, which a policy may prefer to losing",
    ),
  );

export interface UnreadableRule {
  unreadable?: "lose" | "null" | undefined;
}

/** The value of a rollout whose text cannot be read, for the reason `code`, which is reported either way. */
export const unread = ({ unreadable }: UnreadableRule, code: ItemErrorCode, lowest = 0): RolloutValue =>
  unreadable === "null"
    ? { value: without(code), detail: null }
    : { value: valued(lowest), detail: { unreadable: code } };
