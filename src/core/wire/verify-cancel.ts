// Owns the wire shape by which an edge takes single comparisons of a verify request back
// (docs/verify-protocol.md). Knows no transport.
import * as z from "zod";
import { LIMITS } from "../faults/limits.ts";

/** Behind the gateway's root. */
export const VERIFY_CANCEL_PATH = "/verify/cancel";

/**
 * Comparisons that no answer can matter of any more. What has ended, or is not known, is passed
 * over: the asker need not know how far the gateway has come.
 */
export const VerifyCancelSchema = z.strictObject({
  /** As the request's own `accepted` said: nobody else knows it. */
  cancel_id: z.string().min(1).max(LIMITS.id_chars),
  groups: z
    .array(
      z.strictObject({
        group_id: z.string().min(1).max(LIMITS.id_chars),
        comparisons: z.array(z.int().min(0)).min(1).max(LIMITS.generations_verify_max),
      }),
    )
    .min(1)
    .max(LIMITS.groups_max),
});
export type VerifyCancel = z.output<typeof VerifyCancelSchema>;
