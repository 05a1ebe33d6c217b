// Holds what a batch uses of its key's requests at one time: a place from its submission to its
// end, while asking for it uses none.
import { describe, expect, it } from "vitest";
import { parseKeyLimits } from "../../../src/objects/key-limits/ledger.ts";
import { createKeyLimits } from "../../../src/objects/key-limits/remote.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { problemOf, setUp, twoRollouts } from "../../api/routes/harness.ts";
import { fakeVerifier } from "../../harness/fakes.ts";
import { gate } from "../../verifier/setup.ts";
import { memoryCounters } from "./memory-counters.ts";

const later = { prefer: "respond-async" };

/** An app whose callers have one place, and a verifier that answers when `open` is called. */
function onePlace() {
  const counters = memoryCounters();
  const limits = parseKeyLimits("*:concurrency=1");
  const keyLimits = createKeyLimits({ limits, counters, timers: systemClock, onUnreachable: () => {} });
  const { opened, open } = gate();
  const parts = setUp({ keyLimits, verifier: fakeVerifier(() => "\\boxed{A}", { gate: opened }) });
  const submit = async (body: unknown) => {
    const response = await parts.post("/v1/rewards", body, later);
    expect(response.status).toBe(202);
    return response.headers.get("location") as string;
  };
  const refusal = async () => (await problemOf(await parts.post("/v1/rewards", twoRollouts()))).code;
  const held = () => counters.leases.at(-1);
  return { ...parts, counters, submit, open, refusal, held };
}

describe("a batch", () => {
  it("takes a place until it has ended, and none for being asked for", async () => {
    const { submit, refusal, call, post, open, counters } = onePlace();
    const location = await submit(twoRollouts());
    expect(await refusal()).toBe("too_many_concurrent");
    for (const query of ["", "?wait=0"]) expect((await call(location + query)).status).toBe(200);
    expect(await refusal()).toBe("too_many_concurrent");
    const booked = counters.booked();
    open();
    expect(await (await call(`${location}?wait=10`)).json()).toMatchObject({ state: "done" });
    await booked;
    expect((await post("/v1/rewards", twoRollouts())).status).toBe(200);
  });

  it("gives its place back when it is cancelled", async () => {
    const { submit, refusal, call, open, post, counters } = onePlace();
    const location = await submit(twoRollouts());
    expect(await refusal()).toBe("too_many_concurrent");
    const booked = counters.booked();
    expect(await (await call(location, { method: "DELETE" })).json()).toMatchObject({ state: "cancelled" });
    await booked;
    open();
    expect((await post("/v1/rewards", twoRollouts())).status).toBe(200);
  });

  it("keeps its place for as long as it may run, which is longer than a lost request's", async () => {
    const { submit, held, call, open } = onePlace();
    const before = Date.now();
    const location = await submit({ ...twoRollouts(), deadline_ms: 1_500_000 });
    await expect.poll(held).toBeDefined();
    expect(held()?.lease).toBe(location.split("/").at(-1));
    expect(held()?.until).toBeGreaterThanOrEqual(before + 1_500_000);
    open();
    expect(await (await call(`${location}?wait=10`)).json()).toMatchObject({ state: "done" });
  });

  it("leaves the place of its submission free again when that was refused", async () => {
    const { post, counters, submit } = onePlace();
    const booked = counters.booked();
    expect((await post("/v1/rewards", { groups: 1 }, later)).status).toBe(400);
    await booked;
    await submit(twoRollouts());
  });
});
