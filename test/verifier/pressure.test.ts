// Holds how a session's load follows what the backend refuses and accepts.
import { describe, expect, it } from "vitest";
import { Pressure } from "../../src/verifier/fan-out/window.ts";

describe("the window", () => {
  it("halves from what was in flight, once for all refusals of requests sent before the cut", () => {
    const pressure = new Pressure(128);
    for (let request = 35; request <= 40; request++) pressure.refused("verifier_overloaded", request, 40, 40);
    expect(pressure.window).toBe(20);
    pressure.refused("verifier_overloaded", 41, 41, 20);
    expect(pressure.window).toBe(10);
  });

  it("never falls below one, and grows back to its start but not beyond", () => {
    const pressure = new Pressure(16);
    for (let request = 1; request <= 10; request++) pressure.refused("verifier_overloaded", request, request, 2);
    expect(pressure.window).toBe(1);
    for (let i = 0; i < 40; i++) pressure.completed();
    expect(pressure.window).toBe(16);
  });

  it("is not narrowed by a backend that cannot be reached", () => {
    const pressure = new Pressure(16);
    pressure.refused("verifier_unavailable", 1, 1, 16);
    expect(pressure.window).toBe(16);
  });
});

describe("fresh work", () => {
  const refuseAll = (pressure: Pressure, refusal: "verifier_unavailable" | "verifier_overloaded") => {
    for (let request = 1; request <= 6; request++) pressure.refused(refusal, request, 6, 6);
  };

  it("is held back after six refusals in a row, and let go by one acceptance", () => {
    const pressure = new Pressure(16);
    refuseAll(pressure, "verifier_unavailable");
    expect(pressure.admitsFresh).toBe(false);
    pressure.accepted();
    expect(pressure.admitsFresh).toBe(true);
  });

  it.each([
    ["verifier_unavailable", 1],
    ["verifier_overloaded", 3],
  ] as const)("goes out six at a time in further rounds before %s is final", (refusal, rounds) => {
    const pressure = new Pressure(16);
    refuseAll(pressure, refusal);
    for (let round = 0; round < rounds; round++) {
      expect(pressure.nextRound(false)).toBeNull();
      for (let probe = 0; probe < 6; probe++) {
        expect(pressure.admitsFresh).toBe(true);
        pressure.sentFresh();
      }
      expect(pressure.admitsFresh).toBe(false);
    }
    expect(pressure.nextRound(false)).toBe(refusal);
  });
});
