// A verifier whose headers come late causes a warning, with the wait, and only where requests waited for each
// other's headers.

import { expect, test } from "vitest";
import { systemClock } from "../../src/platform/clock.ts";
import { lateHeaders } from "../../src/scoring/late-headers.ts";
import { Backend } from "../../src/verifier/fan-out/backend.ts";
import { createOpenAiVerifier } from "../../src/verifier/openai/adapter.ts";
import { longest, setUp, twoRollouts } from "../api/routes/harness.ts";
import { fakeVerifier } from "../harness/fakes.ts";
import { answer } from "../harness/mock-behaviours.ts";
import { startMockVerifier } from "../harness/mock-verifier.ts";
import { callWith, pairsJob } from "../port-contracts/verifier.contract.ts";

const STATS = { headers_waiting_max: 6, in_flight_max: 6, requests: 100, retries: 0 };

test.each([
  [{ ...STATS, headers_ms: 412.4 }, 2, [expect.stringMatching(/^headers_late: .*headers_waiting_max = 6/)]],
  [{ ...STATS, headers_ms: 412.4 }, 1, []],
  [{ ...STATS, headers_ms: 40 }, 2, []],
  [{ ...STATS, headers_ms: 412, requests: 12 }, 2, []],
  [STATS, 2, []],
])("of %j and %i groups the warnings are right", (stats, groups, warnings) => {
  expect(lateHeaders(stats, groups)).toEqual(warnings);
});

test.each([0, 400])("a session tells how long headers took that others waited for: %i ms", async (late_ms) => {
  let time = 0;
  const mock = await startMockVerifier(() => {
    time += late_ms;
    return answer("\\boxed{A}");
  });
  try {
    const backend = new Backend({ name: "verifier", hedging: false });
    const clock = { ...systemClock, now: () => time, date: () => new Date(0) };
    const verifier = createOpenAiVerifier({ url: mock.url, model: "m", apiKey: null, backend }, clock);
    const session = verifier.session(callWith(new AbortController().signal));
    await session.judge(pairsJob(8), () => undefined);
    if (late_ms === 0) expect(session.stats.headers_ms).toBe(0);
    else expect(session.stats.headers_ms).toBeGreaterThanOrEqual(late_ms);
    const alone = verifier.session(callWith(new AbortController().signal));
    await alone.judge(pairsJob(2), () => undefined);
    expect(alone.stats.headers_ms).toBeUndefined();
  } finally {
    await mock.close();
  }
});

test("the reply of a batch warns of it", async () => {
  const inner = fakeVerifier(longest);
  const session: typeof inner.session = (call) => ({
    judge: inner.session(call).judge,
    stats: { ...STATS, headers_ms: 300 },
  });
  const { groups } = twoRollouts();
  const reply = await setUp({ verifier: { ...inner, session } }).post("/v1/rewards", {
    groups: [...groups, ...groups],
  });
  const { warnings } = (await reply.json()) as { warnings: string[] };
  expect(warnings).toContainEqual(
    expect.stringContaining("headers_late: the verifier's headers came more than 250 ms"),
  );
});
