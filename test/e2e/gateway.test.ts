// The verify protocol from workerd: the local stack with the real gateway in front of the CPU
// verifier, and what the runtime itself must do with a scripted one.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Edge, startEdge } from "../../scripts/stack/edge.ts";
import { type Stack, startStack } from "../../scripts/stack/stack.ts";
import type { WorkerModules } from "../../scripts/stack/worker-modules.ts";
import type { RewardsReply } from "../../src/core/contract/rewards-reply.ts";
import { readEnv } from "../../src/env.ts";
import { type BackendSettings, knowPriorities } from "../../src/verifier/settings.ts";
import { answer } from "../harness/mock-behaviours.ts";
import {
  accepted,
  answers,
  broken,
  type GatewayScript,
  type MockGateway,
  samplesOf,
  startMockGateway,
  verdict,
} from "../harness/mock-gateway.ts";
import { startMockVerifier } from "../harness/mock-verifier.ts";
import { bundleLimitedWorker, expectWithinLimits } from "../harness/production-limits.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const folder = temporaryFolder();
let script: WorkerModules;
let stack: Stack;
beforeAll(async () => {
  script = await bundleLimitedWorker();
  stack = await startStack({
    host: "127.0.0.1",
    port: 0,
    dataDir: folder.path,
    env: { VERIFIER_PROTOCOL: "verify" },
    script,
  });
});
afterAll(async () => {
  try {
    await expectWithinLimits(stack.url);
  } finally {
    await stack?.close();
    folder.remove();
  }
});

const GROUP = {
  prompt: "Read an integer n and print n doubled.\n\nSample Input 1\n\n```\n4\n```\n\nSample Output 1\n\n```\n8\n```\n",
  language: "python",
  rollouts: [
    { text: "```python\nprint(int(input()) * 2)\n```", pass_rate: 1 },
    { text: "```python\nprint(int(input()) + 2)\n```", pass_rate: 0.1 },
    { text: "```python\nprint(0)\n```", pass_rate: 0 },
  ],
};

async function post(body: unknown): Promise<RewardsReply> {
  const response = await fetch(`${stack.url}/v1/rewards`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as RewardsReply;
}

describe("the stack with VERIFIER_PROTOCOL=verify", () => {
  it("says what runs, and is ready", async () => {
    expect(stack.parts.verifier).toBe("embedded CPU verifier behind the gateway");
    await expect.poll(async () => (await fetch(`${stack.url}/readyz`)).status).toBe(200);
  });

  it("judges real programs through the gateway, one request a group, and logs them", async () => {
    const reply = await post({
      run_id: "verify",
      step: 1,
      groups: [GROUP, { ...GROUP, prompt: `Again. ${GROUP.prompt}` }],
    });
    expect(reply.rewards.map(([first]) => first)).toEqual([1, 1]);
    expect(reply).toMatchObject({ logged: "queued", metrics: { list_acc: 1 } });
    expect(reply.groups.map(({ verifier }) => [verifier.generations, verifier.failed])).toEqual([
      [3, 0],
      [3, 0],
    ]);
    const metrics = await (await fetch(`${stack.url}/metrics`)).text();
    expect(/^kritai_verifier_requests_total (\d+)$/m.exec(metrics)?.[1]).toBe("2");
  });

  it("leaves out samples that cannot change a majority, and says how many", async () => {
    const { groups, rewards } = await post({ spec: { judge: { samples: 5 } }, groups: [GROUP] });
    expect(rewards[0]?.[0]).toBe(1);
    const { generations = 0, saved = 0 } = groups[0]?.verifier ?? {};
    expect(generations + saved).toBe(15);
    expect(saved).toBeGreaterThan(0);
  });
});

describe("in workerd", () => {
  async function rig(behave: GatewayScript): Promise<{ gateway: MockGateway; edge: Edge } & AsyncDisposable> {
    const gateway = await startMockGateway(behave);
    const vars = { VERIFIER_URL: gateway.url, VERIFIER_PROTOCOL: "verify" };
    const edge = await startEdge({ host: "127.0.0.1", port: 0, script, vars });
    return {
      gateway,
      edge,
      async [Symbol.asyncDispose]() {
        try {
          await expectWithinLimits(edge.url);
        } finally {
          await edge.close();
          await gateway.close();
        }
      },
    };
  }

  const send = (edge: Edge, body: object, signal: AbortSignal | null = null) =>
    fetch(`${edge.url}/v1/rewards`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ groups: [GROUP], ...body }),
      signal,
    });
  const errorsOf = async (response: Response) => {
    const { groups } = (await response.json()) as RewardsReply;
    return groups.flatMap(({ status, verifier: { parsed, failed } }) => [status, parsed, failed]);
  };
  /** A verdict on the first comparison, and then nothing. */
  const onlyFirst =
    (how: Parameters<typeof broken>[0]): GatewayScript =>
    (asked) => {
      const [first] = samplesOf(asked) as [ReturnType<typeof samplesOf>[0]];
      return broken(how, [accepted(asked), verdict(first)]);
    };

  it("a client that goes closes the connection to the gateway", async () => {
    await using r = await rig(onlyFirst("silence"));
    const controller = new AbortController();
    const request = send(r.edge, {}, controller.signal);
    await r.gateway.mock.until(({ counters }) => counters.open === 1);
    controller.abort();
    await expect(request).rejects.toThrow();
    await r.gateway.mock.until(({ counters }) => counters.client_closed === 1);
  });

  it("verdicts that came before the deadline count, although their stream never ended", async () => {
    await using r = await rig(onlyFirst("silence"));
    expect(await errorsOf(await send(r.edge, { deadline_ms: 6_000 }))).toEqual(["failed", 1, 2]);
    await r.gateway.mock.until(({ counters }) => counters.client_closed === 1);
  });

  it("verdicts that came before a reset count, and what is missing is asked once more", async () => {
    await using r = await rig((asked, index) => (index === 0 ? onlyFirst("reset")(asked, 0) : answers(asked)));
    expect(await errorsOf(await send(r.edge, {}))).toEqual(["ok", 3, 0]);
    expect(r.gateway.requests.map(({ groups }) => groups[0]?.comparisons.length)).toEqual([3, 2]);
  });
});

/** A group of three, of which two come; it is judged without the third where it does not come. */
describe("a group that is not complete is asked about early", () => {
  async function begun(url: string, env: Record<string, string>, comes: () => Promise<unknown>): Promise<number[]> {
    const vars = { VERIFIER_URL: url, VERIFIER_MODEL: "mock-model", ...env };
    const edge = await startEdge({ host: "127.0.0.1", port: 0, script, vars });
    const sample = async (i: number) => {
      const body = JSON.stringify({ prompt: "p", response: `\`\`\`python\nx = ${i}\n\`\`\``, label: "l" });
      const query = "format=object&group_size=3&tries=1&deadline_ms=3000";
      const headers = { "content-type": "application/json" };
      const reply = await fetch(`${edge.url}/slime/reward?${query}`, { method: "POST", headers, body });
      return ((await reply.json()) as { rm_early: number }).rm_early;
    };
    try {
      const two = [sample(0), sample(1)];
      await comes();
      return await Promise.all(two);
    } finally {
      await edge.close();
    }
  }
  const verify = { VERIFIER_PROTOCOL: "verify" };
  const openai = { VERIFIER_PROTOCOL: "openai" };

  it.each([
    ["where the verifier knows priorities", verify, 1],
    ["not there where it shall not be", { ...verify, EARLY_JUDGING: "off" }, 0],
    ["nowhere else", openai, 0],
    ["elsewhere where it shall be", { ...openai, EARLY_JUDGING: "on" }, 1],
  ])("%s", async (_, env, early) => {
    const gateway = await startMockGateway((asked) => answers(asked));
    const engine = await startMockVerifier(() => answer("\\boxed{A}"));
    const isGateway = env.VERIFIER_PROTOCOL === "verify";
    try {
      const asked = () => (isGateway ? gateway.requests : engine.log).length;
      // What is asked early is asked before it is judged with who is there.
      const comes = async () => early === 1 && expect.poll(asked).toBe(1);
      expect(await begun(isGateway ? gateway.url : engine.url, env, comes)).toEqual([early, early]);
      if (isGateway) expect(gateway.requests[0]?.priority).toBe(early);
    } finally {
      await gateway.close();
      await engine.close();
    }
  });

  it("only where every backend that compares texts knows priorities", () => {
    const [gateway, engine, scalar] = ["verify", "openai", "scalar"].map((protocol) => ({ protocol, url: "http://a" }));
    const sandbox = { protocol: "sandbox-fusion", url: "http://a" };
    const of = (...backends: unknown[]) => knowPriorities(backends as BackendSettings[]);
    expect([of(gateway), of(gateway, gateway), of(gateway, scalar, sandbox)]).toEqual([true, true, true]);
    expect([of(), of(engine), of(gateway, engine), of(engine, gateway), of(scalar)]).toEqual(Array(5).fill(false));
  });
});

describe("the environment", () => {
  it("needs no model where the gateway names its own", () => {
    const address = { VERIFIER_URL: "http://127.0.0.1:8791" };
    expect(readEnv({ ...address, VERIFIER_PROTOCOL: "verify" }).faults).toEqual([]);
    expect(readEnv({ ...address, VERIFIER_PROTOCOL: "openai" }).faults).toMatchObject([{ path: "VERIFIER_MODEL" }]);
    expect(readEnv({ ...address, VERIFIER_PROTOCOL: "grpc", VERIFIER_MODEL: "m" }).faults).toEqual([
      {
        path: "VERIFIER_PROTOCOL",
        message: 'must be "openai" or "verify" or "scalar" or "decision"',
      },
    ]);
  });
});
