// The TypeScript client against the running stack: rewards, streams, rankings, faults, and what is
// asked again, as often and as long after as the server says.
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import {
  type ClientOptions,
  createClient,
  KritaiError,
  type RewardsEvent,
  type Rollout,
} from "../../clients/typescript/src/index.ts";
import { type ClientStack, prefersLongest, refusing, skippedWaits, startClientStack, statusKeeper } from "./stack.ts";

let stack: ClientStack;
beforeAll(async () => {
  stack = await startClientStack();
});
afterAll(() => stack.close());

const client = (options: Partial<ClientOptions> = {}) => createClient({ url: stack.url, key: stack.key, ...options });
const program = (code: string) => `\`\`\`python\n${code}\n\`\`\``;
const group = (...codes: string[]) => ({ prompt: "p", rollouts: codes.map((code) => ({ text: program(code) })) });

const faultOf = async (call: Promise<unknown>): Promise<KritaiError> => {
  const fault = await call.then(
    () => null,
    (error: unknown) => error,
  );
  expect(fault).toBeInstanceOf(KritaiError);
  return fault as KritaiError;
};

/** A fetch that has `change` answer in place of the stack where it does; what it was asked. */
function intercepted(change: (times: number, ask: () => Promise<Response>) => Promise<Response>) {
  const asked: { key: string | null; body: string }[] = [];
  const ask: typeof fetch = (input, init) => {
    const body = typeof init?.body === "string" ? init.body : new TextDecoder().decode(init?.body as ArrayBuffer);
    asked.push({ key: new Headers(init?.headers).get("idempotency-key"), body });
    return change(asked.length, () => fetch(input, init));
  };
  return { asked, fetch: ask };
}

/** The part of a reply's body before the connection breaks. */
function broken(text: string): Response {
  let sent = false;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent) controller.error(new TypeError("terminated"));
      else controller.enqueue(new TextEncoder().encode(text));
      sent = true;
    },
  });
  return new Response(body, { headers: { "content-type": "application/json" } });
}

/** No chance in the pauses, so that a wait is as long as the server said. */
const withoutChance = () => {
  const random = vi.spyOn(Math, "random").mockReturnValue(0);
  onTestFinished(() => random.mockRestore());
};

describe("rewards", () => {
  it("come in the order of the rollouts; one that is missing is null with its code", async () => {
    const reply = await client().rewards({ groups: [group("1", "print(1)"), group("alone")], run_id: "ts", step: 3 });
    expect(reply.rewards).toEqual([[0, 1], [null]]);
    expect(reply.groups[1]?.rollouts[0]?.error).toBe("group_too_small");
    expect(reply).toMatchObject({ run_id: "ts", step: 3 });
    const { steps } = await client().call("get", "/v1/runs/{run_id}/steps", { params: { path: { run_id: "ts" } } });
    expect(steps.map(({ step }) => step)).toEqual([3]);
  });

  it("of agents' runs say how much of each the judge saw, here and in the log", async () => {
    const ran = (cmd: string, result: string): Rollout => ({
      messages: [
        { role: "assistant", content: "", tool_calls: [{ id: "c", function: { name: "bash", arguments: cmd } }] },
        { role: "tool", tool_call_id: "c", content: result },
        { role: "assistant", content: "Done." },
      ],
    });
    const spec = { candidate: { extract: "whole" } } as const;
    const groups = [{ prompt: "p", rollouts: [ran("ls", "a"), ran("cat a", "x".repeat(9_000))] }];
    const reply = await client().rewards({ spec, groups, run_id: "ts-agents", step: 1 });
    expect(reply.rewards).toEqual([[0, 1]]);
    const [first, second] = reply.groups[0]?.rollouts ?? [];
    expect([first?.shown, first?.left_out]).toEqual([1, undefined]);
    expect(second?.shown).toBeCloseTo(1 - (second?.left_out?.results ?? 0) / 9_010, 9);
    const path = { run_id: "ts-agents" };
    // Queued log entries are there within seconds.
    const logged = () => client().call("get", "/v1/runs/{run_id}/steps", { params: { path } });
    const mean = async () => (await logged().catch(() => null))?.steps[0]?.shown_mean;
    await expect.poll(mean).toBeCloseTo((1 + (second?.shown as number)) / 2, 9);
  });

  it("that are not one number or null a rollout are no rewards", async () => {
    for (const rewards of ["[[1]]", "[[1, 2], [3]]", "[[1, 1e999]]", '[[1, "2"]]', "null"]) {
      const said = async () => new Response(`{"request_id": "r", "rewards": ${rewards}}`);
      const fault = await faultOf(client({ fetch: said }).rewards({ groups: [group("1", "2")] }));
      expect(fault).toMatchObject({ code: "bad_reply", request_id: "r", retryable: false });
    }
  });

  it("stream: each group under its index, done last, and what a broken stream lacks is asked again", async () => {
    const { asked, fetch } = intercepted(async (times, ask) => {
      if (times > 1) return ask();
      const whole = await (await ask()).text();
      const lines = whole.split("\n").filter((line) => !line.includes('"index":1,') && !line.includes('"done"'));
      return broken(`${lines.join("\n")}\n{"type":"gro`);
    });
    const events: RewardsEvent[] = [];
    const groups = [group("1", "22"), group("333", "4"), group("5", "66")];
    for await (const event of client({ fetch }).streamRewards({ groups })) events.push(event);
    const rewards = new Map(
      events.flatMap((event) =>
        event.type === "group" ? [[event.index, event.rollouts.map(({ reward }) => reward)]] : [],
      ),
    );
    expect(Object.fromEntries(rewards)).toEqual({ 0: [0, 1], 1: [1, 0], 2: [0, 1] });
    expect(events.map(({ type }) => type)).toEqual(["group", "group", "group", "done"]);
    expect(JSON.parse(asked[1]?.body as string).groups).toEqual([{ group_id: "1", ...groups[1] }]);
    expect(asked[1]?.key).not.toBe(asked[0]?.key);
  });

  it("stream: leaving the loop hangs up", async () => {
    let cancelled = false;
    const line = JSON.stringify({ type: "group", index: 0, rollouts: [] });
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new TextEncoder().encode(`${line}\n`)),
      cancel: () => {
        cancelled = true;
      },
    });
    for await (const event of client({ fetch: async () => new Response(body) }).streamRewards({ groups: [group("1")] }))
      if (event.type === "group") break;
    expect(cancelled).toBe(true);
  });
});

describe("other routes", () => {
  it.each(["/v1", "/v1/", "/v1/rewards", "//"])("are found where the address ends in %s", async (path) => {
    const sent = { groups: [group("a", "aa")] };
    expect((await client({ url: stack.url + path }).rewards(sent)).rewards).toHaveLength(1);
  });

  it("rank documents, best first", async () => {
    const documents = [program("1"), program("print(1)"), program("22")];
    const { results } = await client().rerank({ query: "p", documents, top_n: 2 });
    expect(results.map(({ index }) => index)).toEqual([1, 2]);
  });

  it("are called by their path, with what the document says of them", async () => {
    const spec = { seed: 7 };
    await client().call("put", "/v1/specs/{name}", { params: { path: { name: "ts-own" } }, body: spec });
    const stored = await client().call("get", "/v1/specs/{name}", { params: { path: { name: "ts-own" } } });
    expect(stored.spec).toMatchObject(spec);
  });
});

describe("a fault", () => {
  it("names code, status, request and field, and never the key", async () => {
    const rollouts = [{ text: "a", pass_rate: 2 }];
    const fault = await faultOf(client().rewards({ groups: [{ prompt: "p", rollouts }] }));
    expect(fault).toMatchObject({ name: "KritaiError", code: "invalid_request", status: 400, retryable: false });
    expect(fault.errors.map(({ path }) => path)).toEqual(["groups[0].rollouts[0].pass_rate"]);
    expect(fault.message).toContain(fault.request_id as string);
    const refused = await faultOf(client({ key: "wrong-key" }).rewards({ groups: [group("1", "2")] }));
    expect(refused).toMatchObject({ code: "unauthorized", status: 401 });
    expect(refused.message).not.toContain("wrong-key");
    expect(() => client({ key: "schlüssel" })).toThrow("key holds signs");
    expect(() => client({ url: "localhost:8787" })).toThrow("http://");
  });

  it("is told of a server that is none, and of an address where nobody answers", async () => {
    const page = async () => new Response("<html>not here</html>", { status: 404 });
    expect(await faultOf(client({ fetch: page }).call("get", "/v1/specs"))).toMatchObject({
      code: "http_404",
      detail: expect.stringContaining("is url the address of Kritai itself?"),
    });
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    await new Promise((closed) => server.close(closed));
    const nobody = createClient({ url: `http://127.0.0.1:${port}`, retries: 0 });
    expect(await faultOf(nobody.call("get", "/healthz"))).toMatchObject({
      ...{ code: "connection_failed", status: null, retryable: true },
      message: "connection_failed: there was no reply: ECONNREFUSED",
    });
  });
});

describe("a call", () => {
  it("is tried again after as long as the server says, and no more often than it was let", async () => {
    withoutChance();
    const waits = skippedWaits();
    const { statuses, fetch } = statusKeeper();
    const request = { query: "p", documents: ["a", "bb"], kritai: { deadline_ms: 20_000 } };
    stack.verifier.script = refusing(429, 1, 30);
    onTestFinished(() => {
      stack.verifier.script = prefersLongest;
    });
    expect((await client({ fetch }).rerank(request)).results[0]?.index).toBe(1);
    expect([statuses, waits]).toEqual([[429, 200], [30_000]]);
    stack.verifier.script = refusing(429, 100, 30);
    const fault = await faultOf(client({ fetch, retries: 2 }).rerank({ ...request, query: "other" }));
    expect(fault).toMatchObject({ code: "verifier_overloaded", status: 429, retryable: true, retryAfterMs: 30_000 });
    expect(statuses).toEqual([429, 200, 429, 429, 429]);
  });

  it("whose reply broke off sends the same body and Idempotency-Key, and gets the first reply", async () => {
    withoutChance();
    let first = "";
    const { asked, fetch } = intercepted(async (times, ask) => {
      const reply = await ask();
      if (times > 1) return reply;
      first = await reply.text();
      return broken(first.slice(0, 40));
    });
    const reply = await client({ fetch }).rewards({ groups: [group("1", "22")] });
    expect(reply).toEqual(JSON.parse(first));
    expect(asked[0]?.key).toMatch(/^[0-9a-f-]{36}$/);
    expect(asked[1]).toEqual(asked[0]);
  });

  it("waits for an attempt that is still under way, without counting it", async () => {
    withoutChance();
    const waits = skippedWaits();
    const document = { code: "idempotency_in_progress", detail: "under way", retryable: true };
    const { fetch, asked } = intercepted((times, ask) =>
      times < 4 ? Promise.resolve(Response.json(document, { status: 409, headers: { "retry-after": "1" } })) : ask(),
    );
    expect((await client({ fetch, retries: 1 }).rewards({ groups: [group("1", "22")] })).rewards).toEqual([[0, 1]]);
    expect([asked.length, waits]).toEqual([4, [1_000, 1_000, 1_000]]);
  });

  it("ends at its own time or its caller's signal, and keeps the server's deadline within", async () => {
    const { asked, fetch } = intercepted(
      () => new Promise((_, refuse) => setTimeout(() => refuse(new TypeError("aborted")), 30)),
    );
    const timeoutMs = 20;
    const late = await faultOf(client({ fetch }).rewards({ groups: [group("1", "2")] }, { timeoutMs }));
    expect(late).toMatchObject({ code: "client_deadline", retryable: true });
    expect(JSON.parse(asked[0]?.body as string).deadline_ms).toBe(100);
    const { signal } = new AbortController();
    const gone = AbortSignal.any([signal, AbortSignal.abort("enough")]);
    await expect(client().rewards({ groups: [group("1", "2")] }, { signal: gone })).rejects.toBe("enough");
    await expect(
      client()
        .streamRewards({ groups: [group("1", "2")] }, { signal: gone })
        .next(),
    ).rejects.toBe("enough");
  });
});
