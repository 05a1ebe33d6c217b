// The soak's verdict: what changed between its first and its last minutes, and that each goal can
// be missed.
import { describe, expect, it } from "vitest";
import { compareWindows } from "../../soak/windows.ts";

const WARMUP_S = 10;
const MINUTES = 30;

/** Ten requests a second; `late` turns those of the last five minutes. */
function run(late: { latency_ms?: number; memory?: number; nulls?: number; unparsed?: number; error?: string } = {}) {
  const { latency_ms = 20, memory = 1, nulls = 0, unparsed = 0, error = null } = late;
  const last = (WARMUP_S + (MINUTES - 5) * 60) * 1000;
  const count = (WARMUP_S + MINUTES * 60) * 10;
  const requests = Array.from({ length: count }, (_, n) => {
    const due_at = n * 100;
    const own = { latency_ms: 20, nulls: 0, unparsed: 0, error: null };
    return {
      due_at,
      // The warm-up's cost must not count.
      warm_up: due_at < WARMUP_S * 1000,
      ...(due_at < WARMUP_S * 1000
        ? { ...own, latency_ms: 5_000 }
        : due_at < last
          ? own
          : { latency_ms, nulls, unparsed, error }),
    };
  });
  const samples = Array.from({ length: WARMUP_S + MINUTES * 60 }, (_, s) => {
    const workerd = (s * 1000 < last ? 100 : 100 * memory) * 2 ** 20;
    return { at: s * 1000, workerd, node: 50 };
  });
  return compareWindows(requests, samples, MINUTES, WARMUP_S);
}

describe("a soak", () => {
  it("is met when the last five minutes equal the first, whatever the warm-up was", () => {
    const { first, last, p99_ratio, memory_ratio, growth, faults, window_s } = run();
    expect([first.requests, last.requests, window_s]).toEqual([3000, 3000, 300]);
    expect([p99_ratio, memory_ratio, growth, faults]).toEqual([1, 1, { slope: 0, doubt: 0 }, []]);
  });

  it("is met although a judge's answer was unreadable, which is not a fault of the tested stack", () => {
    expect(run({ nulls: 1, unparsed: 2 }).faults).toEqual([]);
  });

  it.each([
    [["p99"], { latency_ms: 23 }],
    [["times the memory", "MiB per hour"], { memory: 1.2 }],
    [["MiB per hour"], { memory: 1.05 }],
    [["returned a null reward"], { nulls: 1 }],
    [["requests failed"], { error: "timeout" }],
  ])("is missed by %j", (words, late) => {
    const { faults } = run(late);
    expect(faults).toHaveLength(words.length);
    for (const [i, word] of words.entries()) expect(faults[i]).toContain(word);
  });
});
