// The stand-in for a verifier that the deployment has not configured: it refuses by naming the variable.
import { ApiError } from "../core/faults/errors.ts";
import type { Verifier } from "../ports/ports.ts";

/** A verifier whose every use is `not_configured`. */
export function unconfiguredVerifier(variable: string): Verifier {
  return {
    protocol: "none",
    takes: ["chat", "decide", "scalar", "prm"],
    // Without a bound, so that the refusal is the missing variable and not a number of generations.
    generations_max: Number.POSITIVE_INFINITY,
    session() {
      const errors = [{ path: variable, message: "required" }];
      throw new ApiError("not_configured", `${variable} is not set.`, { errors });
    },
    check: async () => ({ ok: false, latency_ms: 0, detail: "not configured" }),
  };
}
