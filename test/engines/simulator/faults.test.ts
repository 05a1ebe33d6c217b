// Which faults a question can name, and when they strike.
import { describe, expect, test } from "vitest";
import { FAULT_NAMES, FaultBook, parseFault, splitModel } from "../../../gpu-backend/engines/simulator/faults.ts";

test("a model name carries a fault behind its mark", () => {
  expect(splitModel("sim-14b")).toEqual({ model: "sim-14b", fault: null });
  expect(splitModel("sim-14b+fault:429-retry-after;times=2")).toEqual({
    model: "sim-14b",
    fault: "429-retry-after;times=2",
  });
});

test("every fault is known by its name, and what is unknown or out of range is refused", () => {
  for (const name of FAULT_NAMES) expect(parseFault(name).name).toBe(name);
  expect(parseFault("cut-stream; after=7")).toMatchObject({ name: "cut-stream", after: 7, share: 1 });
  for (const wrong of ["", "fire", "503;x=1", "503;times=-1", "503;times=", "503;times=many", "toString"]) {
    expect(() => parseFault(wrong)).toThrow(RangeError);
  }
});

describe("strikes", () => {
  const strikes = (fault: string, bodies: string[]) => {
    const book = new FaultBook();
    return bodies.map((body) => book.strikes(parseFault(fault), body));
  };

  test("the first attempts at each body, as many as asked for", () => {
    expect(strikes("500", ["a", "b", "a", "b", "a"])).toEqual([true, true, false, false, false]);
    expect(strikes("429;times=2", ["a", "a", "a"])).toEqual([true, true, false]);
  });

  test("always, when times is 0", () => {
    expect(strikes("503", ["a", "a", "a"])).toEqual([true, true, true]);
  });

  test("flapping goes down and up in runs of its period", () => {
    expect(strikes("flapping;period=2", Array(8).fill("a"))).toEqual([
      true,
      true,
      false,
      false,
      true,
      true,
      false,
      false,
    ]);
  });

  test("a share of the bodies, the same ones each time", () => {
    const bodies = Array.from({ length: 4_000 }, (_, i) => `body ${i}`);
    const hit = strikes("503;share=0.2", bodies);
    expect(strikes("503;share=0.2", bodies)).toEqual(hit);
    // 4 standard errors of a share of 0.2 in 4,000.
    expect(Math.abs(hit.filter(Boolean).length / 4_000 - 0.2)).toBeLessThan(0.0253);
  });
});
