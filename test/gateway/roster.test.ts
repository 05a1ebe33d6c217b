// Who is present: the same members as a Set would have, whatever comes and goes.
import { expect, it } from "vitest";
import { Roster } from "../../gpu-backend/gateway/roster.ts";
import { createRandom } from "../../src/core/math/random.ts";

it("has the members that a Set has after any sequence of coming and going", () => {
  const random = createRandom(3);
  const [roster, set] = [new Roster<number>(), new Set<number>()];
  for (let step = 0; step < 2_000; step++) {
    const member = Math.floor(random() * 20);
    if (random() < 0.5 && !set.has(member)) {
      roster.add(member);
      set.add(member);
    } else {
      roster.delete(member);
      set.delete(member);
    }
    expect(roster.size).toBe(set.size);
    expect([...roster].sort()).toEqual([...set].sort());
  }
});
