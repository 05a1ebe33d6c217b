// The guarantees that only the real runtime can show: the Worker end to end, disconnects.
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { expect, inject, test } from "vitest";
import { type RewardsReply, RewardsReplySchema } from "../../src/core/contract/rewards-reply.ts";
import { LIMITS } from "../../src/core/faults/limits.ts";
import worker from "../../src/worker.ts";
import type { Seen } from "./upstream.ts";

const fenced = (code: string) => `\`\`\`python\n${code}\n\`\`\``;
const two = { prompt: "p", rollouts: [{ text: fenced("x = 1") }, { text: fenced("BETTER = 2") }] };

const post = (path: string, body: unknown, init: RequestInit = {}) =>
  exports.default.fetch(`http://localhost${path}`, {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...init,
    headers: { "content-type": "application/json", ...init.headers },
  });

const seen = async (model: string) =>
  (await (await fetch(`${inject("upstream_url")}/seen?model=${model}`)).json()) as Seen;

const withModel = (model: string) => ({ judge: { model } });

test("a batch is scored through a streaming upstream, within the six slots, and says that nothing was logged", async () => {
  const groups = Array.from({ length: 8 }, (_, g) => ({
    prompt: `p${g}`,
    rollouts: [
      ...Array.from({ length: 4 }, (_, r) => ({ text: fenced(`x = ${r}`) })),
      { text: fenced(`BETTER = ${g}`) },
    ],
  }));
  const response = await post("/v1/rewards", { spec: withModel("batch"), groups });
  expect(response.status).toBe(200);
  const reply = RewardsReplySchema.parse(await response.json());
  expect(reply.groups.map((g) => g.selected)).toEqual(Array(8).fill(4));
  expect(reply.groups.map((g) => g.verifier.completion_tokens)).toEqual(Array(8).fill(30));
  expect(reply).toMatchObject({ logged: false, warnings: expect.arrayContaining(["log_not_configured"]) });
  expect(await seen("batch")).toMatchObject({ requests: 80, cut: 0 });
  const metrics = await (await exports.default.fetch("http://localhost/metrics")).text();
  expect(Number(/kritai_headers_waiting_max (\d+)/.exec(metrics)?.[1])).toBeLessThanOrEqual(LIMITS.headers_waiting_max);
});

test("a client that closes a stream closes every connection to the upstream", async () => {
  const alone = { prompt: "alone", rollouts: [{ text: fenced("1") }] };
  const body = { spec: withModel("hang-stream"), groups: [alone, two] };
  const response = await post("/v1/rewards", body, { headers: { accept: "application/x-ndjson" } });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  expect(new TextDecoder().decode((await reader.read()).value)).toContain('"type":"group"');
  await expect.poll(async () => (await seen("hang-stream")).open).toBe(1);
  await reader.cancel();
  await expect.poll(async () => (await seen("hang-stream")).cut).toBe(1);
});

test("a client that aborts a plain request closes every connection to the upstream", async () => {
  const client = new AbortController();
  const request = new Request("http://localhost/v1/rewards", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ spec: withModel("hang-plain"), groups: [two] }),
    signal: client.signal,
  });
  const execution = createExecutionContext();
  const pending = worker.fetch(request, env as unknown as Record<string, unknown>, execution);
  await expect.poll(async () => (await seen("hang-plain")).open).toBe(1);
  client.abort();
  const reply = (await (await pending).json()) as RewardsReply;
  expect(reply.groups[0]?.rollouts.map((r) => r.error)).toEqual(["cancelled", "cancelled"]);
  await waitOnExecutionContext(execution);
  await expect.poll(async () => (await seen("hang-plain")).cut).toBe(1);
});

test("a deadline gives nulls with its code in time, and the upstream sees the close", async () => {
  const response = await post("/v1/rewards", { deadline_ms: 300, spec: withModel("hang-deadline"), groups: [two] });
  const reply = (await response.json()) as RewardsReply;
  expect(reply.rewards).toEqual([[null, null]]);
  expect(reply.groups[0]?.rollouts[0]?.error).toBe("deadline");
  await expect.poll(async () => (await seen("hang-deadline")).cut).toBe(1);
});

test("documents are served: OpenAPI, reference, errors", async () => {
  for (const path of ["/openapi.json", "/docs", "/docs/errors", "/healthz"]) {
    const response = await exports.default.fetch(`http://localhost${path}`);
    expect(response.status).toBe(200);
    await response.text();
  }
});
