// Verify requests for tests: small groups with distinct texts. Must not know the gateway.
import type { VerifyEvent, VerifyGroup, VerifyRequest } from "../../src/core/wire/verify-protocol.ts";

type JobQuestion = VerifyGroup["comparisons"][number];

export const comparison = (id: number, order: number[], more: Partial<JobQuestion> = {}): JobQuestion => ({
  id,
  order,
  samples: 1,
  first_sample: 0,
  stop: "all",
  ...more,
});

/** Every pair of `n` candidates once. */
export const pairs = (n: number, more: Partial<JobQuestion> = {}): JobQuestion[] => {
  const all: JobQuestion[] = [];
  for (let i = 0; i < n; i++) for (let j = i + 1; j < n; j++) all.push(comparison(all.length, [i, j], more));
  return all;
};

export const group = (
  id: string,
  candidates: number,
  comparisons: JobQuestion[],
  question = `Q-${id}`,
): VerifyGroup => ({
  group_id: id,
  question,
  language: "python",
  candidates: Array.from({ length: candidates }, (_, i) => `candidate ${i} of ${id}`),
  comparisons,
});

export const request = (groups: VerifyGroup[], more: Partial<VerifyRequest> = {}): VerifyRequest => ({
  deadline_ms: 60_000,
  patient: false,
  in_order: false,
  priority: 0,
  groups,
  prompt: "code-select",
  form: "exact_match",
  model: null,
  sampling: { temperature: 0.6, top_p: 0.95, max_tokens: 1024, seed: 7 },
  soft: false,
  ...more,
});

/** How a body is posted; a text as it is. */
export const post = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json", ...headers },
  body: typeof body === "string" ? body : JSON.stringify(body),
});

export type EventOf<T extends VerifyEvent["type"]> = Extract<VerifyEvent, { type: T }>;

export const only = <T extends VerifyEvent["type"]>(events: readonly VerifyEvent[], type: T): EventOf<T>[] =>
  events.filter((event): event is EventOf<T> => event.type === type);

/** `group/comparison/sample` of every sample named in an event, in no order but sorted. */
export const reported = (events: readonly VerifyEvent[]): string[] =>
  events
    .flatMap((event) => {
      if (event.type === "verdict" || event.type === "error") {
        return [`${event.group_id}/${event.comparison}/${event.sample}`];
      }
      return event.type === "saved" ? event.samples.map((s) => `${event.group_id}/${event.comparison}/${s}`) : [];
    })
    .sort();

/** The same for what a request asks. */
export const asked = ({ groups }: VerifyRequest): string[] =>
  groups
    .flatMap(({ group_id, comparisons }) =>
      comparisons.flatMap(({ id, samples, first_sample }) =>
        Array.from({ length: samples }, (_, k) => `${group_id}/${id}/${first_sample + k}`),
      ),
    )
    .sort();
