// The properties of a scored batch whatever the order, the time and the adapter. Invariant 3: A failure of
// the infrastructure never becomes a number. Invariant 5: Same input, spec and verdicts give a bit-equal
// result, whatever order they came in.

import { describe, expect, it } from "vitest";
import { ApiError } from "../../src/core/faults/errors.ts";
import { createRandom, shuffled } from "../../src/core/math/random.ts";
import type { VerifierSession } from "../../src/ports/ports.ts";
import { fakeVerifier, type Script } from "../harness/fakes.ts";
import fc from "../harness/property.ts";

import { byValue, printed, program, reordering, rolloutsOf, score, scoreOne } from "./score-setup.ts";

describe("scoreBatch, invariants", () => {
  it("gives every content the same reward wherever it stands in the group", async () => {
    const noisy: Script = (shown) => {
      const first = shown.map(printed).reduce((sum, v, i) => sum + v * (i + 1), 0) % 4;
      return first < 2 ? `\\boxed{${"AB"[first]}}` : first === 2 ? "no box" : { error: "verifier_bad_reply" };
    };
    const property = fc.asyncProperty(
      fc.uniqueArray(fc.nat(50), { minLength: 2, maxLength: 9 }),
      fc.nat(),
      async (values, turn) => {
        const order = shuffled(
          values.map((_, i) => i),
          createRandom(turn),
        );
        const direct = await scoreOne(values.map(program), { verifier: fakeVerifier(noisy) });
        const moved = await scoreOne(
          order.map((i) => program(values[i] as number)),
          { verifier: fakeVerifier(noisy) },
        );
        expect(order.map((i) => direct.rollouts[i])).toEqual(moved.rollouts);
      },
    );
    await fc.assert(property, { numRuns: 60 });
  });

  it("does not depend on the order in which generations finish", async () => {
    const values = [5, 3, 8, 1, 9, 2];
    const direct = await scoreOne(values.map(program), { spec: { judge: { samples: 3 } } });
    for (let seed = 0; seed < 5; seed++) {
      const late = await scoreOne(values.map(program), {
        spec: { judge: { samples: 3 } },
        verifier: reordering(byValue, seed),
      });
      expect(late).toEqual(direct);
    }
  });

  it("marks what a broken adapter never reported as failed", async () => {
    const silent = fakeVerifier(byValue);
    const session: VerifierSession = {
      stats: { headers_waiting_max: 0, in_flight_max: 0, requests: 0, retries: 0 },
      judge: () => Promise.reject(new Error("bug")),
    };
    const group = await scoreOne([program(1), program(2)], { verifier: { ...silent, session: () => session } });
    expect(group.rollouts.map(({ reward, error }) => [reward, error])).toEqual([
      [null, "verifier_bad_reply"],
      [null, "verifier_bad_reply"],
    ]);
  });

  it("stops at the deadline with nulls and the code", async () => {
    const verifier = fakeVerifier(byValue, { gate: new Promise(() => {}) });
    const group = await scoreOne([program(1), program(2)], { verifier, deadline_ms: 100 });
    expect(group.rollouts.map(({ error }) => error)).toEqual(["deadline", "deadline"]);
  });

  it("stops when the client goes", async () => {
    const controller = new AbortController();
    const verifier = fakeVerifier(byValue, { gate: new Promise(() => {}) });
    const pending = scoreOne([program(1), program(2)], { verifier, signal: controller.signal });
    controller.abort("cancelled");
    expect((await pending).rollouts.map(({ error }) => error)).toEqual(["cancelled", "cancelled"]);
  });

  it("refuses more generations than the protocol allows, naming both numbers", async () => {
    const verifier = fakeVerifier(byValue, { generations_max: 5 });
    const refused = scoreOne([1, 2, 3, 4].map(program), { verifier });
    await expect(refused).rejects.toThrow(/6 generations; the limit generations_openai_max is 5; send fewer/);
    await expect(refused).rejects.toBeInstanceOf(ApiError);
  });

  it("logs rows from which the counts follow", async () => {
    const { entry, reply } = await score([{ rollouts: rolloutsOf([3, 1, 2].map(program)) }], {
      spec: { log_texts: true },
    });
    const [group] = entry.groups;
    const wins = [0, 0, 0];
    for (const { order, letter } of group?.verdicts ?? []) {
      const winner = order["ABCDE".indexOf(letter as string)] as number;
      wins[winner] = (wins[winner] as number) + 1;
    }
    expect(wins).toEqual(reply.groups[0]?.win_counts);
    expect(group?.rollouts[0]?.text).toBe(program(3));
    expect(group?.rollouts[0]?.text_hash).toMatch(/^[0-9a-f]{64}$/);
    expect(entry.spec_hash).toBe(reply.spec_hash);
  });
});
