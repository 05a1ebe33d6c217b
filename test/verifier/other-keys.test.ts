// Holds that a key whose questions a backend answers by 500 costs no other key time, in virtual time,
// while a backend that is down for several keys is left alone by all.
import { expect, it } from "vitest";
import { percentile } from "../../src/core/math/stats.ts";
import type { VerifierJob } from "../../src/core/wire/questions.ts";
import { Backend } from "../../src/verifier/fan-out/backend.ts";
import { Governor } from "../../src/verifier/fan-out/fan-out.ts";
import { type AttemptResult, outcome } from "../../src/verifier/fan-out/refusal.ts";
import { VirtualTime } from "../harness/virtual-time.ts";
import { pairsJob } from "../port-contracts/verifier.contract.ts";

const ANSWERED: AttemptResult = {
  generation: {
    ...{ answer: "\\boxed{A}", thinking: "none", finish_reason: "stop", error: null, model: "m" },
    ...{ prompt_tokens: 1, completion_tokens: 1 },
  },
  refusal: null,
  retry_after_ms: null,
  backend_failed: false,
};

/** A key's requests, one after another: how long each took, ms. */
async function requests(time: VirtualTime, backend: Backend, party: string, count: number, gives: () => AttemptResult) {
  const took: number[] = [];
  for (let i = 0; i < count; i++) {
    const started = time.clock.now();
    const governor = new Governor<VerifierJob>({
      ...{ max_in_flight: 64, clock: time.clock, schedule: time.schedule, random: () => 0.5, backend, tenant: party },
      ...{ signal: new AbortController().signal, deadline_at: started + 8_000 },
      send: async (_, __, onHeaders, onBytes) => {
        await time.sleep(17);
        onHeaders(true);
        const came = gives();
        if (came.generation.error === null) onBytes();
        return came;
      },
    });
    await governor.judge(pairsJob(4), () => {});
    took.push(time.clock.now() - started);
    await time.sleep(30);
  }
  return took;
}

const fails = () => outcome("verifier_unavailable");
const p99 = (took: number[]) =>
  percentile(
    took.sort((a, b) => a - b),
    0.99,
  );

it("another key's p99 stays as it was while one key's questions are answered by 500", async () => {
  const quiet = new VirtualTime(0);
  const backend = () => new Backend({ name: "verifier", hedging: false });
  const alone = p99(await quiet.until(() => requests(quiet, backend(), "b", 60, () => ANSWERED)));
  const time = new VirtualTime(0);
  const shared = backend();
  const floods = Array.from({ length: 4 }, () => requests(time, shared, "a", 10, fails));
  const [took] = await time.until(() => Promise.all([requests(time, shared, "b", 60, () => ANSWERED), ...floods]));
  expect(shared.status(time.clock.now()).breaker).toBe("closed");
  expect(p99(took) / alone).toBeLessThanOrEqual(1.5);
});

it("a backend that fails for two keys is taken to fail for all", async () => {
  const time = new VirtualTime(0);
  const backend = new Backend({ name: "verifier", hedging: false });
  await time.until(() => Promise.all(["a", "b"].map((party) => requests(time, backend, party, 1, fails))));
  expect(backend.status(time.clock.now()).breaker).not.toBe("closed");
});
