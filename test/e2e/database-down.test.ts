// The embedded stack without its database, under load: replies as ever, nothing lost and nothing
// twice afterwards, one bad message set apart alone; and a kill in the middle.
// Invariant 7: An id is returned only when its row is stored or durably queued, or the reply says
// that it is not.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Program, startProgram } from "../../lab/bench/program.ts";
import type { WorkerModules } from "../../scripts/stack/worker-modules.ts";
import type { DeadLetterSummary } from "../../src/core/contract/dead-letter.ts";
import type { RewardsReply } from "../../src/core/contract/rewards-reply.ts";
import { parsePrompt } from "../../src/core/judges/render.ts";
import type { RunDetail } from "../../src/ports/logged-rows.ts";
import { answer } from "../harness/mock-behaviours.ts";
import { type MockVerifier, startMockVerifier } from "../harness/mock-verifier.ts";
import { bundleLimitedWorker, expectWithinLimits } from "../harness/production-limits.ts";
import { startRig } from "../run-log/rig.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const folder = temporaryFolder();
let rigs = 0;
let script: WorkerModules;
let mock: MockVerifier;
beforeAll(async () => {
  script = await bundleLimitedWorker();
  mock = await startMockVerifier(
    ({ body }) => {
      const shown = parsePrompt(body.messages.at(-1)?.content as string)?.candidates ?? [];
      const values = shown.map(({ code }) => Number(/\((\d+)\)/.exec(code)?.[1]));
      return answer(`\\boxed{${"ABCDE"[values.indexOf(Math.max(...values))]}}`);
    },
    { keep_bodies: false },
  );
});
afterAll(async () => {
  await mock.close();
  folder.remove();
});

const STACK = "test/harness/production-limits/start.ts";
const ROLLOUTS = 4;
const request = (run_id: string, step: number) => ({
  ...{ run_id, step, spec: { log_texts: true } },
  groups: [
    {
      prompt: `Question ${step}: print the largest number.`,
      rollouts: Array.from({ length: ROLLOUTS }, (_, r) => ({ text: `\`\`\`python\nprint(${r})\n\`\`\`` })),
    },
  ],
});

async function post<T>(url: string, path: string, body: unknown): Promise<T> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}

const get = async <T>(url: string, path: string) => (await (await fetch(url + path)).json()) as T;

/** Replies to `count` requests, 8 at a time. */
async function load(url: string, run_id: string, count: number): Promise<RewardsReply[]> {
  const replies: RewardsReply[] = [];
  let step = 0;
  const client = async () => {
    while (step < count) replies.push(await post<RewardsReply>(url, "/v1/rewards", request(run_id, step++)));
  };
  await Promise.all(Array.from({ length: 8 }, client));
  return replies;
}

function expectReplies(replies: readonly RewardsReply[]): void {
  for (const { rewards, logged, warnings } of replies) {
    expect({ rewards, logged, warnings }).toEqual({ rewards: [[0, 1 / 3, 2 / 3, 1]], logged: "queued", warnings: [] });
  }
}

/** SIGKILL leaves a process no time to end its own; workerd would stay behind. */
async function killWithChildren({ pid, close }: Program): Promise<void> {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean);
  process.kill(pid, "SIGKILL");
  await close();
  for (const child of children) process.kill(Number(child), "SIGKILL");
}

/** `npm run logs -- replay` as a person runs it. */
function replay(url: string): Promise<{ code: number | null; output: string }> {
  const main = new URL("../../scripts/stack/commands/logs-replay.ts", import.meta.url).pathname;
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [main, "--target", url, "--settle", "2"], (_, stdout, stderr) => {
      resolve({ code: child.exitCode, output: stdout + stderr });
    });
  });
}

const until = (check: () => Promise<void> | void) =>
  expect
    .poll(async () => {
      await check();
      return true;
    })
    .toBe(true);

describe("without its database, under load", () => {
  it("answers as before, and has stored every reply once when the database has been back for a moment", async () => {
    await using stack = await startRig({
      script,
      verifier_url: mock.url,
      dataDir: `${folder.path}/${++rigs}`,
      delay_scale: 0.01,
    });
    const before = await load(stack.url, "up", 40);
    await stack.databaseGoes();
    const during = await load(stack.url, "down", 120);
    expect((await fetch(`${stack.url}/readyz`)).status).toBe(503);
    expect(stack.backlog()).toBeGreaterThan(0);
    await stack.databaseReturns();
    const after = await load(stack.url, "again", 40);
    const replies = [...before, ...during, ...after];
    expectReplies(replies);
    await until(() => expect(stack.backlog()).toBe(0));
    const ids = (await stack.sql("SELECT request_id FROM requests ORDER BY 1")).map(([id]) => id);
    expect(ids).toEqual(replies.map(({ request_id }) => request_id).sort());
    const verdicts = replies
      .flatMap(({ groups }) => groups)
      .reduce((sum, { verifier }) => sum + verifier.generations, 0);
    expect(await stack.count("groups")).toBe(200);
    expect(await stack.count("rollouts")).toBe(200 * ROLLOUTS);
    expect(await stack.count("verdicts")).toBe(verdicts);
    expect(await stack.count("texts")).toBe(200 * (ROLLOUTS + 1));
    // Totals would show what was stored twice and hidden by a key.
    for (const [run, requests] of [
      ["up", 40],
      ["down", 120],
      ["again", 40],
    ] as const) {
      expect(await get<RunDetail>(stack.url, `/v1/runs/${run}`)).toMatchObject({
        requests,
        rollouts: requests * ROLLOUTS,
      });
    }
    expect(await get(stack.url, "/v1/logs/dead-letters")).toMatchObject({ letters: 0 });
    await expectWithinLimits(stack.url);
  });

  it("sets apart the one message that the database refuses, stores those beside it, and takes it back once the cause is gone", async () => {
    await using stack = await startRig({
      script,
      verifier_url: mock.url,
      dataDir: `${folder.path}/${++rigs}`,
      delay_scale: 0.01,
    });
    await stack.sql("ALTER TABLE requests ADD CONSTRAINT poison CHECK (step <> 7)");
    expectReplies(await load(stack.url, "poisoned", 20));
    await until(async () => {
      expect(stack.backlog()).toBe(0);
      expect(await stack.count("requests")).toBe(19);
    });
    const letters = await get<DeadLetterSummary>(stack.url, "/v1/logs/dead-letters");
    expect(letters).toMatchObject({ letters: 1, reasons: [{ reason: "sql_23514", letters: 1 }] });
    const refused = await replay(stack.url);
    expect(refused).toMatchObject({ code: 1, output: expect.stringContaining("1 dead letter remains") });

    await stack.sql("ALTER TABLE requests DROP CONSTRAINT poison");
    const replayed = await replay(stack.url);
    expect(replayed).toMatchObject({ code: 0, output: expect.stringContaining("put back 1") });
    await until(async () => expect(await stack.count("requests")).toBe(20));
    expect(await get<RunDetail>(stack.url, "/v1/runs/poisoned")).toMatchObject({ requests: 20 });
    await expectWithinLimits(stack.url);
  });
});

describe("a stack that is killed in the middle", () => {
  it("has stored every reply that said `queued` once, after its next start", async () => {
    const env = { PORT: "0", DATA_DIR: `${folder.path}/killed`, VERIFIER_URL: mock.url, VERIFIER_MODEL: "mock-model" };
    const first = await startProgram(STACK, env);
    // The counts of the limits' emulation are killed too, so it is asked before; events after the last reply
    // go uncounted.
    const killed = async () => {
      try {
        await expectWithinLimits(first.url);
      } finally {
        await killWithChildren(first);
      }
    };
    const replies = await load(first.url, "killed", 60).finally(killed);
    expectReplies(replies);
    const second = await startProgram(STACK, env);
    try {
      await until(async () =>
        expect(await get<RunDetail>(second.url, "/v1/runs/killed")).toMatchObject({
          requests: 60,
          rollouts: 60 * ROLLOUTS,
        }),
      );
      for (const { request_id } of replies) {
        expect((await fetch(`${second.url}/v1/requests/${request_id}`)).status).toBe(200);
      }
      await expectWithinLimits(second.url);
    } finally {
      await second.close();
    }
  });
});
