// A scripted server of the verify protocol for tests: what it can do with one request. Must not know the
// adapter under test.
import {
  type VerdictEvent,
  type VerifyEvent,
  type VerifyRequest,
  VerifyRequestSchema,
} from "../../src/core/wire/verify-protocol.ts";
import { status } from "./mock-behaviours.ts";
import { type Behaviour, type MockOptions, type MockVerifier, startMockVerifier } from "./mock-verifier.ts";

const NDJSON = { "content-type": "application/x-ndjson" };

/** `index` counts all requests from 0. */
export type GatewayScript = (asked: VerifyRequest, index: number) => Behaviour;

/** One sample of a request, with the texts it shows. */
export interface AskedSample {
  group_id: string;
  comparison: number;
  sample: number;
  shown: string[];
}

/** A line of the reply. */
export const line = (event: VerifyEvent | Record<string, unknown>): string => `${JSON.stringify(event)}\n`;

/** Every sample that a request asks, in its order. */
export function samplesOf({ groups }: VerifyRequest): AskedSample[] {
  return groups.flatMap(({ group_id, candidates, comparisons }) =>
    comparisons.flatMap(({ id, order, samples, first_sample }) =>
      Array.from({ length: samples }, (_, k) => ({
        group_id,
        comparison: id,
        sample: first_sample + k,
        shown: order.map((index) => candidates[index] as string),
      })),
    ),
  );
}

/** A verdict on a sample: a boxed A that cost 11 and 7 tokens, unless told otherwise. */
export function verdict(asked: AskedSample, more: Partial<VerdictEvent> = {}): VerdictEvent {
  const { group_id, comparison, sample } = asked;
  const cost = { prompt_tokens: 11, completion_tokens: 7, queue_ms: 0.5, first_token_ms: 2, total_ms: 12.5 };
  const said = { answer: "\\boxed{A}", thinking: "closed", finish_reason: "stop" } as const;
  return { type: "verdict", group_id, comparison, sample, ...said, ...cost, ...more };
}

export function failure(asked: AskedSample, code: string, retryable = false): Record<string, unknown> {
  const { group_id, comparison, sample } = asked;
  return { type: "error", group_id, comparison, sample, code, retryable };
}

export const saved = (asked: AskedSample, samples: number[], completion_tokens = 0): VerifyEvent => ({
  type: "saved",
  group_id: asked.group_id,
  comparison: asked.comparison,
  samples,
  completion_tokens,
});

export const accepted = (request: VerifyRequest): VerifyEvent => ({
  type: "accepted",
  request_id: "mock",
  generations: samplesOf(request).length,
  queue_depth: 0,
});

export const heartbeat: VerifyEvent = { type: "heartbeat", open: 1 };

const NO_USAGE = { generations: 0, saved: 0, failed: 0, prompt_tokens: 0, completion_tokens: 0, in_flight_max: 0 };
export const done: VerifyEvent = { type: "done", usage: NO_USAGE };

/** Sends the lines and ends in good order. */
export const events =
  (sent: readonly (VerifyEvent | Record<string, unknown>)[]): Behaviour =>
  (reply) =>
    reply.whole(200, NDJSON, sent.map(line).join(""));

/** A whole reply: a verdict on every sample. */
export const answers = (request: VerifyRequest, more: (asked: AskedSample) => Partial<VerdictEvent> = () => ({})) =>
  events([accepted(request), ...samplesOf(request).map((asked) => verdict(asked, more(asked))), done]);

/**
 * Sends the lines, and then breaks: by a reset, by ending in good order, or by saying nothing any
 * more.
 */
export const broken =
  (how: "reset" | "end" | "silence", sent: readonly (VerifyEvent | Record<string, unknown>)[]): Behaviour =>
  (reply) => {
    reply.head(200, NDJSON);
    for (const event of sent) reply.write(line(event));
    if (how === "reset") return reply.reset();
    if (how === "end") reply.end();
  };

/** The answer of `/ready`. */
export type Ready = { status: number; body: unknown };
const READY: Ready = { status: 200, body: { status: "ready" } };

export interface MockGateway {
  mock: MockVerifier;
  url: string;
  /** Every request that fitted the protocol, in order. */
  requests: VerifyRequest[];
  close(): Promise<void>;
}

/**
 * A mock on a free loopback port. What does not fit the protocol is answered with 400, as the
 * gateway would.
 */
export async function startMockGateway(
  script: GatewayScript,
  { ready = READY, ...options }: MockOptions & { ready?: Ready } = {},
): Promise<MockGateway> {
  const requests: VerifyRequest[] = [];
  const behave = ({ body }: { body: unknown }): Behaviour => {
    const parsed = VerifyRequestSchema.safeParse(body);
    if (!parsed.success) return status(400);
    requests.push(parsed.data);
    return script(parsed.data, requests.length - 1);
  };
  const pages = { "/ready": ready };
  const mock = await startMockVerifier(behave, { question_path: "/v1/verify", pages, ...options });
  return { mock, url: mock.url, requests, close: () => mock.close() };
}
