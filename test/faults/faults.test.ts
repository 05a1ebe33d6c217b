// The matrix: every fault of the simulator x both verifier protocols x every way of asking. The
// reply, the backend's requests and the log rows are held to faults-table.ts.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DatabasePart, startDatabase } from "../../scripts/stack/database.ts";
import type { GroupResult } from "../../src/core/contract/replies.ts";
import { temporaryFolder } from "../e2e/temporary-folder.ts";
import { bundleLimitedWorker, expectWithinLimits } from "../harness/production-limits.ts";
import { ask, bodyWith, DELIVERIES, logged } from "./asking.ts";
import { FAULT_CASES, type FaultCase, PROTOCOLS, type Protocol } from "./faults-table.ts";
import { startRig } from "./rig.ts";

let database: DatabasePart;
let script: string;
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

/** The case as this protocol must answer it. */
function promised({ code, cost, verify }: FaultCase, protocol: Protocol): Pick<FaultCase, "code" | "cost"> {
  return { code, cost, ...(protocol === "verify" && verify) };
}

const matrix = FAULT_CASES.flatMap((fault) =>
  PROTOCOLS.flatMap((protocol) => DELIVERIES.map((delivery) => ({ fault, protocol, delivery, name: fault.name }))),
);

describe("what a fault comes to", () => {
  test.concurrent.for(matrix)("$name, $protocol, $delivery", async ({ fault, protocol, delivery }) => {
    const { code, cost } = promised(fault, protocol);
    await using rig = await startRig(protocol, script, database.vars);
    const reply = await ask(rig.url, delivery, bodyWith(fault.fault, fault.deadline_ms));
    const [struck, neighbour] = reply.groups as [GroupResult, GroupResult];

    expect(rollouts(neighbour)).toEqual(decided(0, 0.5, 1));
    expect(neighbour).toMatchObject({ status: "ok", verifier: { failed: 0, parsed: 3 } });
    if (code === null) {
      expect(rollouts(struck)).toEqual(decided(1, 0.5, 0));
      expect(struck).toMatchObject({ status: "ok", verifier: { failed: 0, parsed: 3 } });
    } else if (fault.blamed) {
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
    expect(reply.warnings).toEqual(fault.blamed ? ["does_not_fit"] : []);

    const { requests } = rig.simulator.stats();
    expect(requests).toBeGreaterThanOrEqual(UNTOUCHED + STRUCK * cost.least);
    expect(requests).toBeLessThanOrEqual(UNTOUCHED + STRUCK * cost.most);

    const rows = await logged(rig.url, reply.request_id);
    expect(rows.map(({ row }) => row.result)).toEqual(reply.groups);
    expect(rows.map(({ row }) => row.rewards)).toEqual(reply.rewards);
    const errors = rows.map(({ verdicts }) => verdicts.map(({ error }) => error).filter((error) => error !== null));
    expect(errors).toEqual([code === null ? [] : [code, code], []]);
    await expectWithinLimits(rig.url);
  });
});
