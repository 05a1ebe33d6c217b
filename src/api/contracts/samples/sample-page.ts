// Owns what the reference says alike of every contract that sends one sample a request. Read by the
// generator of the OpenAPI document alone.
import { LIMITS } from "../../../core/faults/limits.ts";
import { SampleOptionsSchema } from "../options.ts";
import type { Operation } from "../page.ts";
import { deepLabel, type Refusal } from "../refusal.ts";

/** `format` is slime's alone. */
export const sampleQuery = () => SampleOptionsSchema.omit({ format: true });

/** A route that gathers samples, with what its description begins with. */
export const sampleOperation = (own: Omit<Operation, "refusals"> & { refusals?: readonly Refusal[] }): Operation => ({
  query: sampleQuery(),
  ...own,
  description:
    `Samples of equal prompt, label, run, step and spec are gathered into one group, judged once, and each request is answered with its own reward. A reply that takes longer than ${LIMITS.heartbeat_ms / 1000} s begins with white space; a failure then breaks it off. ${own.description ?? ""}`.trimEnd(),
  gathered: true,
  refusals: [deepLabel(), { why: "alone in its group", status: 503, code: "group_too_small" }, ...(own.refusals ?? [])],
});
