// Guarantees that a room gives every client's probe back: one from another isolate is held there until then.
import { expect, test } from "vitest";
import type { ClientProbe } from "../../../src/objects/gathering/gathering.ts";
import { Prober } from "../../../src/objects/gathering/probing.ts";
import { systemClock } from "../../../src/platform/clock.ts";

/** A probe as a call from another isolate brings it. */
function remoteProbe() {
  let disposed = 0;
  const probe = Object.assign(async () => true, { [Symbol.dispose]: () => void disposed++ }) satisfies ClientProbe;
  return { probe, disposed: () => disposed };
}

test("a probe is given back once: when its waiter is dropped, however often that is said", () => {
  const prober = new Prober(systemClock);
  const { probe, disposed } = remoteProbe();
  prober.add("a", probe);
  expect(disposed()).toBe(0);
  prober.drop("a");
  prober.drop("a");
  expect(disposed()).toBe(1);
});

test("a waiter that joins again gives its earlier probe back, and keeps the one it has", async () => {
  const prober = new Prober(systemClock);
  const [earlier, later] = [remoteProbe(), remoteProbe()];
  prober.add("a", earlier.probe);
  prober.add("a", later.probe);
  prober.add("a", later.probe);
  expect([earlier.disposed(), later.disposed()]).toEqual([1, 0]);
  expect(await prober.prove("a")).toBe(true);
});

test("probes within the isolate, and waiters without one, need no giving back", () => {
  const prober = new Prober(systemClock);
  prober.add("a", async () => true);
  prober.add("b", null);
  for (const waiter of ["a", "b", "c"]) expect(() => prober.drop(waiter)).not.toThrow();
});
