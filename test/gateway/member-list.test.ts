// Who is present: the same members as a Set would have, whatever comes and goes.
import { expect, it } from "vitest";
import { MemberList } from "../../gpu-backend/gateway/engines/member-list.ts";
import { createRandom } from "../../src/core/math/random.ts";

it("has the members that a Set has after any sequence of coming and going", () => {
  const random = createRandom(3);
  const [list, set] = [new MemberList<number>(), new Set<number>()];
  for (let step = 0; step < 2_000; step++) {
    const member = Math.floor(random() * 20);
    if (random() < 0.5 && !set.has(member)) {
      list.add(member);
      set.add(member);
    } else {
      list.delete(member);
      set.delete(member);
    }
    expect(list.size).toBe(set.size);
    expect([...list].sort()).toEqual([...set].sort());
  }
});
