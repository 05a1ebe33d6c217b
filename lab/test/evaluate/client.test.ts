// The guarantees of asking over HTTP: what is sent, patience with a busy server, failures kept apart from
// answers.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { extractCandidate } from "../../../src/core/candidate/extract.ts";
import { DEFAULT_SPEC } from "../../../src/core/contract/spec.ts";
import { type Cell, planCells } from "../../evaluate/asking/cells.ts";
import { askLists } from "../../evaluate/asking/client.ts";
import { fixtureLists } from "./fixture-set.ts";

const [CELL] = planCells({ formulations: ["list_em"], k: [4], k_of: [], positions: false, base: {} }) as [Cell];
const LISTS = fixtureLists({ problems: 1, lists: 2 });

interface Sent {
  headers: Record<string, unknown>;
  body: { spec: unknown; groups: { group_id: string; rollouts: Record<string, unknown>[] }[] };
}

let server: Server | undefined;
afterEach(() => void server?.close());

/** Answers request i with the i-th reply, the last one from then on. */
async function serverOf(...replies: { status: number; body: unknown; headers?: Record<string, string> }[]) {
  const sent: Sent[] = [];
  server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    sent.push({ headers: request.headers, body: JSON.parse(Buffer.concat(parts).toString()) });
    const { status, body, headers = {} } = replies[Math.min(sent.length, replies.length) - 1] as (typeof replies)[0];
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server?.once("listening", resolve));
  const target = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ask = (more: object = {}) =>
    askLists(CELL, LISTS, {
      target,
      api_key: null,
      run_id: "r",
      deadline_ms: 1_000,
      labelled: false,
      texts: null,
      signal: new AbortController().signal,
      ...more,
    });
  return { sent, ask };
}

const verifier = {
  comparisons: 1,
  generations: 4,
  parsed: 3,
  unparsed: 1,
  failed: 0,
  prompt_tokens: 10,
  completion_tokens: 20,
};
const group = (group_id: string, more: object = {}) => ({
  group_id,
  status: "ok",
  selected: 0,
  win_counts: [1, 0],
  rollouts: [{ error: null }, { error: null }],
  metrics: { position_flip_rate: null },
  verifier,
  ...more,
});
const reply = (...groups: object[]) => ({ status: 200, body: { request_id: "q", spec_hash: "sha256:1", groups } });
const ok = reply(group("list-0"), group("list-1"));

describe("asking lists", () => {
  it("sends each program in a fence it cannot break, without its pass rate, under the cell's spec", async () => {
    const { sent, ask } = await serverOf(ok);
    await ask();
    const { spec, groups } = (sent[0] as Sent).body;
    expect(spec).toEqual({
      judge: { unparsed: "tie", reask: 0, mode: "listwise", form: "exact_match", samples: 4, both_orders: false },
    });
    expect(groups.map(({ group_id }) => group_id)).toEqual(["list-0", "list-1"]);
    for (const [g, { rollouts }] of groups.entries()) {
      for (const [r, rollout] of rollouts.entries()) {
        expect(Object.keys(rollout)).toEqual(["text"]);
        const { candidate } = extractCandidate(rollout.text as string, DEFAULT_SPEC.candidate, null);
        expect(candidate).toBe(LISTS[g]?.candidates[r]?.code);
      }
    }
  });

  it("labels candidates for the simulator only if requested", async () => {
    const { sent, ask } = await serverOf(ok);
    await ask({ labelled: true });
    const texts = (sent[0] as Sent).body.groups.flatMap(({ rollouts }) => rollouts.map(({ text }) => text));
    expect(texts.every((text) => /pass_rate=[01]\.\d{6}\n/.test(text as string))).toBe(true);
  });

  it("waits as long as a busy server says and retries, with the key as a bearer token", async () => {
    const busy = { status: 429, body: {}, headers: { "retry-after": "0" } };
    const { sent, ask } = await serverOf(busy, busy, ok);
    expect((await ask({ api_key: "secret" })).map(({ list_id }) => list_id)).toEqual(["list-0", "list-1"]);
    expect(sent.length).toBe(3);
    expect(sent[2]?.headers.authorization).toBe("Bearer secret");
  });

  it("fails at once on a refusal, with the server's message and without the key", async () => {
    const refusal = { status: 400, body: { detail: "unknown prompt" } };
    const { sent, ask } = await serverOf(refusal);
    await expect(ask({ api_key: "secret" })).rejects.toThrow(/answered 400.*unknown prompt/);
    await expect(ask({ api_key: "secret" })).rejects.not.toThrow("secret");
    expect(sent.length).toBe(2);
  });

  it("refuses an answer that is not Kritai's reply to the lists sent", async () => {
    const other = await serverOf({ status: 200, body: { status: "ok" } });
    await expect(other.ask()).rejects.toThrow(/answered 200, but the body is not a Kritai reply \(request_id/);
    expect(other.sent.length).toBe(1);
    server?.close();
    await expect((await serverOf(reply(group("list-1"), group("list-0")))).ask()).rejects.toThrow("groups that differ");
    server?.close();
    await expect((await serverOf(reply(group("list-0")))).ask()).rejects.toThrow("groups that differ");
  });

  it("ends a wait when it is stopped", async () => {
    const { ask } = await serverOf({ status: 503, body: {}, headers: { "retry-after": "30" } });
    const stop = new AbortController();
    const asking = ask({ signal: stop.signal });
    setImmediate(() => stop.abort(new Error("interrupted")));
    await expect(asking).rejects.toThrow("interrupted");
  });

  it("marks a list with a missing generation as failed by its code, and leaves its neighbour alone", async () => {
    const failed = group("list-1", {
      status: "failed",
      selected: null,
      win_counts: [null, null],
      rollouts: [{ error: "deadline" }, { error: "deadline" }],
      verifier: { ...verifier, failed: 4, parsed: 0, unparsed: 0 },
    });
    const { ask } = await serverOf(reply(group("list-0"), failed));
    const [first, second] = await ask();
    expect(first).toMatchObject({ error: null, selected: 0, parsed: 3, generations: 4, spec_hash: "sha256:1" });
    expect(second).toMatchObject({ error: "deadline", selected: null });
  });

  it("counts an unparsed generation as an answer, not as a failure", async () => {
    const silent = group("list-1", {
      selected: null,
      win_counts: [0, 0],
      verifier: { ...verifier, parsed: 0, unparsed: 4 },
    });
    const { ask } = await serverOf(reply(group("list-0"), silent));
    expect((await ask())[1]).toMatchObject({ error: null, selected: null, parsed: 0 });
  });
});
