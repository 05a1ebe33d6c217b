// Owns the guarantees that only the real runtime can show: the Worker end to end, disconnects, body
// streaming, decoding, crypto. / <reference types="@cloudflare/vitest-plugin/types" />
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { describe, expect, inject, test } from "vitest";
import { type RewardsReply, RewardsReplySchema } from "../../src/core/contract/replies.ts";
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

describe("the body", () => {
  test("over the limit is refused while streaming, whatever is still to come", async () => {
    const mebibyte = new Uint8Array(1024 * 1024).fill(0x20);
    const chunks_max = (LIMITS.body_bytes + LIMITS.body_drain_bytes) / mebibyte.byteLength;
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (++sent > 2 * chunks_max) controller.close();
        else controller.enqueue(mebibyte);
      },
    });
    const request = new Request("http://localhost/v1/verdicts", { method: "POST", body });
    const response = await worker.fetch(request, env as unknown as Record<string, unknown>, createExecutionContext());
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ code: "body_too_large" });
    expect(sent).toBeLessThanOrEqual(chunks_max + 3);
  });

  test("of bytes that are not UTF-8 is named so, and real UTF-8 split anywhere is not", async () => {
    const bytes = new TextEncoder().encode(
      JSON.stringify({ formulation: "list_em", items: [{ text: "é😀\\boxed{B}", candidates: 3, correct: 1 }] }),
    );
    const split = (pieces: Uint8Array[]) =>
      new ReadableStream<Uint8Array>({
        start(controller) {
          for (const piece of pieces) controller.enqueue(piece);
          controller.close();
        },
      });
    const send = (pieces: Uint8Array[]) =>
      worker.fetch(
        new Request("http://localhost/v1/verdicts", { method: "POST", body: split(pieces) }),
        env as unknown as Record<string, unknown>,
        createExecutionContext(),
      );
    const fine = await send([...bytes].map((byte) => Uint8Array.of(byte)));
    expect(await fine.json()).toMatchObject({ items: [{ verdict: "B" }] });
    const broken = await send([bytes.slice(0, 40), Uint8Array.of(0xff), bytes.slice(40)]);
    expect(await broken.json()).toMatchObject({ status: 400, code: "invalid_encoding" });
  });
});

describe("keys", () => {
  // printf %s key-of-the-lab | sha256sum
  const hex = "3b1c2c1f";
  const withKeys = (keys: string, headers: Record<string, string>) =>
    worker.fetch(
      new Request("http://localhost/v1/specs/default", { headers }),
      { ...(env as unknown as Record<string, unknown>), API_KEYS: keys },
      createExecutionContext(),
    );

  test("are compared by SHA-256 with the runtime's own crypto", async () => {
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode("key-of-the-lab")));
    const keys = `lab:${[...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
    expect((await withKeys(keys, { authorization: "Bearer key-of-the-lab" })).status).toBe(200);
    expect((await withKeys(keys, { authorization: "Bearer other" })).status).toBe(401);
  });

  test("that are wrongly configured close the deployment and never open it", async () => {
    const response = await withKeys(`lab:${hex}`, {});
    expect(response.status).toBe(503);
    const text = await response.text();
    expect(text).toContain("API_KEYS");
    expect(text).not.toContain(hex);
  });
});

test("documents are served: OpenAPI, reference, errors", async () => {
  for (const path of ["/openapi.json", "/docs", "/docs/errors", "/healthz"]) {
    const response = await exports.default.fetch(`http://localhost${path}`);
    expect(response.status).toBe(200);
    await response.text();
  }
});
