// Placeholder for a verifier that the deployment has not configured; its error names the missing variable.
import { ApiError } from "../core/faults/errors.ts";
import type { Verifier } from "../ports/ports.ts";

/** A verifier that rejects every use with `not_configured`. */
export function unconfiguredVerifier(variable: string): Verifier {
  return {
    protocol: "none",
    takes: ["chat", "decide", "scalar", "prm"],
    // Unlimited, so that the error names the missing variable rather than a number of generations.
    generations_max: Number.POSITIVE_INFINITY,
    session() {
      const errors = [{ path: variable, message: "required" }];
      throw new ApiError("not_configured", `${variable} is not set.`, { errors });
    },
    check: async () => ({ ok: false, latency_ms: 0, detail: "not configured" }),
  };
}
