// The benchmark's modules at tiny size: each runs and reports finite numbers. Measuring time is left to
// `npm run lab -- bench`.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleWorker } from "../../../scripts/stack/bundle.ts";
import { alone, type WorkerModules } from "../../../scripts/stack/worker-modules.ts";
import { benchAgents } from "../../bench/agents.ts";
import { benchColdStart } from "../../bench/cold-start.ts";
import { type Backends, startBackends } from "../../bench/edge-client.ts";
import { type Figure, figure, isMet } from "../../bench/figures.ts";
import { benchGrowth, curvesUpTo } from "../../bench/growth.ts";
import { hottest } from "../../bench/inspector.ts";
import { slopeOf } from "../../bench/line.ts";
import { comparisonsOf, rewardsRequest } from "../../bench/loads.ts";
import { benchMemory, largeBatch } from "../../bench/memory.ts";
import { benchParsing } from "../../bench/parsing.ts";
import { benchRewardsRoute, checkReply } from "../../bench/rewards-route.ts";
import { benchScoring } from "../../bench/scoring.ts";
import { benchThinking } from "../../bench/thinking.ts";
import { benchVerdictsRoute } from "../../bench/verdicts-route.ts";
import { startWorkerd } from "../../bench/workerd.ts";

const TINY = { groups: 2, rollouts: 3, thoughts: 40 };

let script: WorkerModules;
let backends: Backends;
beforeAll(async () => {
  [script, backends] = await Promise.all([bundleWorker(), startBackends()]);
});
afterAll(() => backends.close());

function expectFinite(figures: readonly Figure[], count: number): void {
  expect(figures.map(({ name }) => name)).toHaveLength(count);
  expect(new Set(figures.map(({ name }) => name)).size).toBe(count);
  for (const { name, median, min, max, repeats } of figures) {
    expect([median, min, max].every(Number.isFinite), name).toBe(true);
    expect(repeats, name).toBeGreaterThan(0);
    expect(min <= median && median <= max, name).toBe(true);
  }
}

it("a judge that thinks is measured beside three floors, each of which asks every pair", async () => {
  const names = (await benchThinking(script, backends, TINY, 1)).map(({ name }) => name);
  expect(names).toHaveLength(27);
  expect(names).toContain("16 per event: edge, openai / a frank Worker");
});

describe("every benchmark reports finite numbers", () => {
  it("of parsing", async () => expectFinite(await benchParsing(1), 7));

  it("of /v1/verdicts in bare workerd", async () => {
    const figures = await benchVerdictsRoute(script, [{ items: 20, requests: 1 }], 2);
    expectFinite(figures, 1);
    expect(figures[0]?.median).toBeGreaterThan(0);
  });

  it("of scoring in this process", async () => {
    const figures = await benchScoring(TINY, 2);
    expectFinite(figures, 1);
    expect(figures[0]?.median).toBeGreaterThan(0);
  });

  it("of growth, curve by curve", async () => {
    expectFinite(await benchGrowth(curvesUpTo({ groups: 4, rollouts: 8, kib: 4, signals: 4 }), 1), 48);
  });

  it("of rollouts of several turns, whose shared turns appear once", async () => {
    const figures = await benchAgents(script, backends, { groups: 1, rollouts: 2, messages: 4, chars: 100 }, 1);
    expectFinite(figures, 17);
    const ratios = figures.flatMap(({ name, median }) => (name.includes("once relative to twice") ? [median] : []));
    expect(ratios).toEqual([1, expect.closeTo(0.75, 1), expect.closeTo(0.62, 1)]);
  });

  it("of /v1/rewards through the openai adapter, with the run log and without", async () => {
    const before = await backends.counts();
    expectFinite(await benchRewardsRoute(script, backends, TINY, 1), 3);
    const after = await backends.counts();
    // Two warm-ups and one round, three times: without a log, with one, and the Worker that only
    // fetches.
    expect(after.questions - before.questions).toBe(9 * comparisonsOf(TINY));
    expect(after.statements).toBeGreaterThan(before.statements);
  });

  it("of the isolate's and the process's memory", async () => {
    const figures = await benchMemory(script, backends, { groups: 2, rollouts: 3, bytes: 50_000, items: 20 }, 1);
    expectFinite(figures, 6);
    expect(figures[0]?.median).toBeGreaterThan(1);
  });

  it("of the cold start and the bundle's size", async () => {
    const figures = await benchColdStart(script, 1);
    expectFinite(figures, 5);
    expect(figures[3]?.goal).toEqual({ max: 348 });
    expect(figures[3]?.median).toBeLessThanOrEqual(348);
  });
});

describe("the harness", () => {
  it("summarises repeats by median, minimum and maximum, and refuses an empty list", () => {
    const summed = figure("x", "ms", { max: 3 }, [5, 1, 3]);
    expect(summed).toMatchObject({ median: 3, min: 1, max: 5, repeats: 3 });
    expect(() => figure("x", "ms", null, [])).toThrow(RangeError);
  });

  it("estimates a slope with twice its standard error", () => {
    expect(slopeOf([1, 2, 3, 4].map((x) => [x, 2 * x + 1] as const))).toEqual({ slope: 2, doubt: 0 });
    const { slope, doubt } = slopeOf([1, 2, 3, 4].map((x) => [x, 2 * x + (x % 2)] as const));
    expect(Math.abs(slope - 2)).toBeLessThan(doubt);
    expect(
      slopeOf([
        [1, 1],
        [2, 2],
      ] as const).doubt,
    ).toBe(Number.POSITIVE_INFINITY);
  });

  it("compares the median with the goal", () => {
    expect(isMet({ median: 3, goal: { max: 3 } })).toBe(true);
    expect(isMet({ median: 3.1, goal: { max: 3 } })).toBe(false);
    expect(isMet({ median: 3, goal: { min: 3.1 } })).toBe(false);
    expect(isMet({ median: 3, goal: null })).toBeNull();
  });

  it("refuses a reply with missing verdicts", () => {
    const groups = [{ status: "failed", verifier: { generations: 6, parsed: 5 } }];
    expect(() => checkReply(JSON.stringify({ logged: true, groups }), TINY, true)).toThrow("5 verdicts, expected 6");
  });

  it("fills a body up to its limit and not beyond", () => {
    const size = Buffer.byteLength(JSON.stringify(rewardsRequest(largeBatch(2, 3, 60_000))));
    expect(size).toBeLessThanOrEqual(60_000);
    expect(size).toBeGreaterThan(59_900);
  });

  it("leaves idle time out of a profile's shares", () => {
    const node = (id: number, functionName: string) => ({ id, callFrame: { functionName, url: "", lineNumber: 0 } });
    const nodes = [node(1, "(idle)"), node(2, "parse"), node(3, "score")];
    const hot = hottest({ nodes, samples: [1, 2, 3, 1], timeDeltas: [0, 9000, 3000, 1000] });
    expect(hot).toEqual([
      { name: "parse:1", self_ms: 3, share: 0.75 },
      { name: "score:1", self_ms: 1, share: 0.25 },
    ]);
  });

  it("reports workerd's output when it cannot start", async () => {
    await expect(startWorkerd({ script: alone("export default {") })).rejects.toThrow(
      /workerd exited with 1: .*SyntaxError/s,
    );
  });
});
