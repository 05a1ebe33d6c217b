// The Worker in workerd, a scripted verifier and the embedded database, over real HTTP: the
// guarantees a trainer relies on.
import { request as httpRequest } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DatabasePart, startDatabase } from "../../scripts/stack/database.ts";
import { type Edge, startEdge } from "../../scripts/stack/edge.ts";
import type { WorkerModules } from "../../scripts/stack/worker-modules.ts";
import type { RewardsReply } from "../../src/core/contract/rewards-reply.ts";
import { parsePrompt } from "../../src/core/judges/render.ts";
import { hashText } from "../../src/core/math/random.ts";
import type { GroupRow } from "../../src/ports/logged-rows.ts";
import { answer } from "../harness/mock-behaviours.ts";
import { type MockBody, type MockVerifier, startMockVerifier } from "../harness/mock-verifier.ts";
import { bundleLimitedWorker, expectWithinLimits } from "../harness/production-limits.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const program = (value: number) => `\`\`\`python\nprint(${value})\n\`\`\``;
const shownValues = (body: MockBody) =>
  (parsePrompt(body.messages.at(-1)?.content as string)?.candidates ?? []).map(({ code }) =>
    Number(/\((\d+)\)/.exec(code)?.[1]),
  );
/** The letter of the largest number shown. */
const largest = (body: MockBody) => {
  const values = shownValues(body);
  return `<think>\nThe largest.\n</think>\n\\boxed{${"ABCDE"[values.indexOf(Math.max(...values))]}}`;
};

let database: DatabasePart;
let script: WorkerModules;
const folder = temporaryFolder();
beforeAll(async () => {
  [script, database] = await Promise.all([bundleLimitedWorker(), startDatabase(folder.path, undefined)]);
});
afterAll(async () => {
  await database.close();
  folder.remove();
});

interface Rig {
  mock: MockVerifier;
  edge: Edge;
  post(body: unknown): Promise<RewardsReply>;
}

/** A separate edge, so that its counters are this test's. */
async function rig(
  behaviour: (body: MockBody) => ReturnType<typeof answer>,
  vars: Record<string, string> = {},
): Promise<Rig & AsyncDisposable> {
  const mock = await startMockVerifier(({ body }) => behaviour(body), { keep_bodies: false });
  const verifier = { VERIFIER_URL: mock.url, VERIFIER_MODEL: "mock-model" };
  const edge = await startEdge({
    host: "127.0.0.1",
    port: 0,
    script,
    vars: { ...database.vars, ...verifier, ...vars },
  });
  return {
    mock,
    edge,
    post: (body) => post(edge, body),
    async [Symbol.asyncDispose]() {
      try {
        await expectWithinLimits(edge.url);
      } finally {
        await edge.close();
        await mock.close();
      }
    },
  };
}

async function post(edge: Edge, body: unknown): Promise<RewardsReply> {
  const response = await fetch(`${edge.url}/v1/rewards`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/json"]);
  return (await response.json()) as RewardsReply;
}

const groupsOf = (groups: number, rollouts: number) =>
  Array.from({ length: groups }, (_, g) => ({
    prompt: `Question ${g}: print the largest number.`,
    rollouts: Array.from({ length: rollouts }, (_, r) => ({ text: program(r), pass_rate: r / rollouts })),
  }));

describe("the edge over HTTP", () => {
  it("scores 64 groups of 16, every pair, and never has more than six requests waiting for headers", async () => {
    await using r = await rig((body) => answer(largest(body)));
    const reply = await r.post({ groups: groupsOf(64, 16) });
    expect(reply.groups.map(({ verifier }) => verifier.parsed)).toEqual(Array(64).fill(120));
    expect(reply.rewards).toEqual(Array(64).fill(Array.from({ length: 16 }, (_, i) => i / 15)));
    expect(reply.metrics).toMatchObject({ tau_b_mean: 1, list_acc: 1, parse_rate: 1 });
    const metrics = await (await fetch(`${r.edge.url}/metrics`)).text();
    const governor = Number(/^kritai_headers_waiting_max (\d+)$/m.exec(metrics)?.[1]);
    expect(governor).toBeGreaterThanOrEqual(1);
    expect(governor).toBeLessThanOrEqual(6);
    expect(r.mock.counters.waiting_for_headers_max).toBeLessThanOrEqual(6);
    // A straggler may be asked for twice (hedging), of a busy machine more often.
    expect(new Set(r.mock.log.map(({ body }) => JSON.stringify(body))).size).toBe(7680);
  });

  it("logs rows that reproduce the reply exactly", async () => {
    await using r = await rig((body) => answer(body.seed % 5 === 0 ? "no box here" : largest(body)));
    const spec = { judge: { both_orders: true, samples: 2 }, overlong: { max_tokens: 100, cache_tokens: 30 } };
    const groups = groupsOf(3, 6).map((group) => ({
      ...group,
      rollouts: [
        ...group.rollouts.map((rollout, i) => ({ ...rollout, length_tokens: 65 + 7 * i })),
        { text: "none", length_tokens: 1, pass_rate: 0 },
      ],
    }));
    const reply = await r.post({ run_id: "exact", step: 7, spec, groups });
    expect(reply.logged).toBe(true);
    const stored = (await (await fetch(`${r.edge.url}/v1/requests/${reply.request_id}`)).json()) as {
      groups: GroupRow[];
    };
    expect(stored.groups.map(({ result }) => result)).toEqual(reply.groups);
    expect(stored.groups.map(({ rewards }) => rewards)).toEqual(reply.rewards);
    expect(stored.groups[0]).toMatchObject({ run_id: "exact", step: 7, spec_hash: reply.spec_hash });
  });

  it("gives nulls for what was undecided and right values for the rest when the verifier dies in the middle", async () => {
    const [doomed, lastAnswered] = [3, Promise.withResolvers<void>()];
    let answered = 0;
    await using r = await rig((body) => async (reply) => {
      if (shownValues(body).includes(doomed)) {
        await lastAnswered.promise;
        return;
      }
      await answer(largest(body))(reply);
      if (++answered === 3) lastAnswered.resolve();
    });
    const spec = { judge: { min_decided: 0.5 } };
    const pending = r.post({ groups: groupsOf(1, 4), spec, deadline_ms: 8_000 });
    await lastAnswered.promise;
    await r.mock.until(({ counters }) => counters.open === 3);
    await r.mock.close();
    const [group] = (await pending).groups;
    expect(group?.status).toBe("partial");
    expect(group?.rollouts.map(({ reward, error, undecided }) => [reward, error, undecided])).toEqual([
      [0, null, 1],
      [0.5, null, 1],
      [1, null, 1],
      [null, "verifier_unavailable", 3],
    ]);
    expect(group?.win_counts).toEqual([0, 1, 2, null]);
  });

  it("answers 200 with nulls and verifier_unavailable at the deadline, when nothing listens at the verifier's address", async () => {
    await using r = await rig((body) => answer(largest(body)));
    await r.mock.close();
    const reply = await r.post({ groups: groupsOf(16, 16), deadline_ms: 4_000 });
    expect(new Set(reply.rewards.flat())).toEqual(new Set([null]));
    expect(new Set(reply.groups.flatMap(({ rollouts }) => rollouts.map(({ error }) => error)))).toEqual(
      new Set(["verifier_unavailable"]),
    );
  });

  it("closes its requests to the verifier when the client goes", async () => {
    await using r = await rig(() => () => {});
    const controller = new AbortController();
    const request = fetch(`${r.edge.url}/v1/rewards`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ groups: groupsOf(1, 4) }),
      signal: controller.signal,
    });
    await r.mock.until(({ counters }) => counters.open === 6);
    controller.abort();
    await expect(request).rejects.toThrow();
    await r.mock.until(({ counters }) => counters.open === 0);
    expect(r.mock.counters.client_closed).toBe(6);
  });

  it("lets a client finish sending a body that is too large, so that it reads why it was refused", async () => {
    await using r = await rig((body) => answer(largest(body)));
    const status = await new Promise<[number | undefined, string]>((resolve, reject) => {
      const headers = { "content-type": "application/json" };
      const sent = httpRequest(`${r.edge.url}/v1/rewards`, { method: "POST", headers }, async (response) => {
        const parts: Buffer[] = [];
        for await (const part of response) parts.push(part as Buffer);
        resolve([response.statusCode, JSON.parse(Buffer.concat(parts).toString()).code]);
      });
      sent.on("error", reject);
      sent.setHeader("content-length", 24 * 1024 * 1024);
      sent.end(Buffer.alloc(24 * 1024 * 1024, 32));
    });
    expect(status).toEqual([413, "body_too_large"]);
  });

  it("gives a coin-flip verifier the ListAcc of chance over lists of 2 to 5: 32.08", async () => {
    // The coin is a hash of what the verifier was sent, so the run is the same every time.
    const coin = (body: MockBody) => {
      const k = shownValues(body).length;
      return `\\boxed{${"ABCDE"[(hashText(JSON.stringify(body))[0] >>> 8) % k]}}`;
    };
    await using r = await rig((body) => answer(coin(body)));
    let right = 0;
    let lists = 0;
    for (let batch = 0; batch < 24; batch++) {
      const groups = Array.from({ length: 256 }, (_, g) => ({
        prompt: `List ${batch}.${g}`,
        rollouts: Array.from({ length: 2 + (g % 4) }, (_, i) => ({ text: program(i), pass_rate: i === 0 ? 1 : 0.3 })),
      }));
      const reply = await r.post({ spec: { judge: { mode: "listwise" } }, groups });
      right += reply.groups.filter(({ metrics }) => metrics.list_acc).length;
      lists += reply.groups.length;
    }
    expect(lists).toBe(6144);
    expect(Math.abs((100 * right) / lists - 32.08)).toBeLessThan(1);
  });
});

describe("without its database", () => {
  it("still returns the rewards, and says that they were not logged", async () => {
    const gone = await startDatabase(`${folder.path}/gone`, undefined);
    await gone.close();
    await using r = await rig((body) => answer(largest(body)), gone.vars);
    const reply = await r.post({ run_id: "unlogged", groups: groupsOf(1, 3) });
    expect(reply.rewards).toEqual([[0, 0.5, 1]]);
    expect(reply).toMatchObject({ logged: false, warnings: ["log_failed"] });
  });
});
