// The matrix: every fault of the simulator x both verifier protocols x every way of asking. The
// reply, the backend's requests and the log rows are held to faults-table.ts.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DatabasePart, startDatabase } from "../../scripts/stack/database.ts";
import type { WorkerModules } from "../../scripts/stack/worker-modules.ts";
import type { GroupResult } from "../../src/core/contract/group-reply.ts";
import { temporaryFolder } from "../e2e/temporary-folder.ts";
import { bundleLimitedWorker, expectWithinLimits } from "../harness/production-limits.ts";
import { ask, bodyWith, DELIVERIES, logged, type Told } from "./asking.ts";
import { FAULT_CASES, type FaultCase, PROTOCOLS, type Protocol } from "./faults-table.ts";
import { startRig } from "./rig.ts";

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

const STRUCK = 2;
/** Comparisons of both groups that no fault touches. */
const UNTOUCHED = 4;

const rollouts = ({ rollouts: all }: GroupResult) =>
  all.map(({ reward, error, undecided }) => ({ reward, error, undecided }));
const decided = (...rewards: number[]) => rewards.map((reward) => ({ reward, error: null, undecided: 0 }));

type Outcome = Pick<FaultCase, "code" | "cost">;

/** The case as this protocol must answer it. */
function promised({ code, cost, verify }: FaultCase, protocol: Protocol): Outcome {
  return { code, cost, ...(protocol === "verify" && verify) };
}

/** No machine needs more for four answers; a neighbour without them by then is held up by us. */
const DEADLINE_MAX_MS = 120_000;

/**
 * Whether the deadline left no time for unrelated parts: how long a busy machine needs for the neighbour's
 * answers, or for a first refusal, is not what is tested.
 */
function cameTooSoon([struck, neighbour]: readonly GroupResult[], requests: number, { code, cost }: Outcome): boolean {
  const cut = code !== "deadline" && struck?.rollouts.some(({ error }) => error === "deadline");
  return neighbour?.status !== "ok" || cut === true || requests < UNTOUCHED + STRUCK * cost.least;
}

const matrix = FAULT_CASES.flatMap((fault) =>
  PROTOCOLS.flatMap((protocol) => DELIVERIES.map((delivery) => ({ fault, protocol, delivery, name: fault.name }))),
);

describe("what a fault comes to", () => {
  test.concurrent.for(matrix)("$name, $protocol, $delivery", async ({ fault, protocol, delivery }) => {
    const outcome = promised(fault, protocol);
    for (let deadline_ms = fault.deadline_ms; ; deadline_ms *= 2) {
      await using rig = await startRig(protocol, script, database.vars);
      const reply = await ask(rig.url, delivery, bodyWith(fault.fault, deadline_ms));
      const { requests } = rig.simulator.stats();
      if (deadline_ms < DEADLINE_MAX_MS && cameTooSoon(reply.groups, requests, outcome)) continue;
      expectReply(reply, fault, outcome);
      expectCost(requests, outcome, deadline_ms / fault.deadline_ms);
      await expectLogged(rig.url, reply, outcome);
      await expectWithinLimits(rig.url);
      return;
    }
  });
});

function expectReply(reply: Told, { blamed }: FaultCase, { code }: Outcome): void {
  const [struck, neighbour] = reply.groups as [GroupResult, GroupResult];
  expect(rollouts(neighbour)).toEqual(decided(0, 0.5, 1));
  expect(neighbour).toMatchObject({ status: "ok", verifier: { failed: 0, parsed: 3 } });
  if (code === null) {
    expect(rollouts(struck)).toEqual(decided(1, 0.5, 0));
    expect(struck).toMatchObject({ status: "ok", verifier: { failed: 0, parsed: 3 } });
  } else if (blamed) {
    expect(rollouts(struck)).toEqual(decided(-1, 1, 0.5));
    expect(struck).toMatchObject({ status: "ok", verifier: { failed: STRUCK, parsed: 1 } });
  } else {
    expect(rollouts(struck)).toEqual([
      { reward: null, error: code, undecided: STRUCK },
      { reward: null, error: "partial", undecided: 1 },
      { reward: null, error: "partial", undecided: 1 },
    ]);
    expect(struck).toMatchObject({ status: "failed", verifier: { failed: STRUCK, parsed: 1 } });
  }
  expect(reply.rewards).toEqual(reply.groups.map((group) => group.rollouts.map(({ reward }) => reward)));
  // On a busy machine headers may come late besides.
  const warnings = reply.warnings.map((warning) => warning.split(":")[0]).filter((name) => name !== "headers_late");
  const failed = struck.status === "failed" ? ["groups_failed"] : [];
  expect(warnings).toEqual([...failed, ...(blamed ? ["does_not_fit"] : []), "simulated"]);
}

/** @param stretch how many times the case's own deadline there was */
function expectCost(requests: number, { cost }: Outcome, stretch: number): void {
  // What is asked again until the deadline costs by its length; all else costs the same.
  const most = cost.least === cost.most ? cost.most : cost.most * stretch;
  expect(requests).toBeGreaterThanOrEqual(UNTOUCHED + STRUCK * cost.least);
  expect(requests).toBeLessThanOrEqual(UNTOUCHED + STRUCK * most);
}

async function expectLogged(url: string, reply: Told, { code }: Outcome): Promise<void> {
  const rows = await logged(url, reply.request_id);
  expect(rows.map(({ row }) => row.result)).toEqual(reply.groups);
  expect(rows.map(({ row }) => row.rewards)).toEqual(reply.rewards);
  const errors = rows.map(({ verdicts }) => verdicts.map(({ error }) => error).filter((error) => error !== null));
  expect(errors).toEqual([code === null ? [] : [code, code], []]);
}
