import { expect, it } from "vitest";
import { SignalsSpecSchema, SpecSchema } from "../../../src/core/reward/signals-spec.ts";
import type { SpecStore } from "../../../src/ports/ports.ts";

import type { StoreUnderTest } from "./store.ts";

export function namedSpecs(store: () => StoreUnderTest): void {
  it("gives back the spec that was put last under a name, and null for no name", async () => {
    const { specs } = store();
    const first = SpecSchema.parse({ seed: 1, format: { rules: [{ regex: "a\\x00\0" }] } });
    const second = SpecSchema.parse({ judge: { mode: "listwise" }, overlong: { max_tokens: 9, cache_tokens: 3 } });
    expect(await specs.get("absent")).toBeNull();
    await specs.save("mine", first);
    expect(await specs.get("mine")).toEqual(first);
    await specs.save("mine", second);
    expect(await specs.get("mine")).toEqual(second);
    // Its judge says more than a request may.
    const third = SignalsSpecSchema.parse({ signals: { right: { kind: "grade" } } });
    await specs.save("mine", third);
    expect(await specs.get("mine")).toEqual(JSON.parse(JSON.stringify(third)));
  });

  it("lists stored specs by name in pages, each once, with what no longer is one as null", async () => {
    const { specs } = store();
    const names = ["list.b", "list-a", "list_c", "list.b2"];
    const spec = SpecSchema.parse({ seed: 5 });
    for (const name of names) await specs.save(name, spec);
    await specs.save("list.b2", { gone: true } as never);
    const seen: string[] = [];
    for (let after: string | null = null; ; ) {
      const page: Awaited<ReturnType<SpecStore["page"]>> = await specs.page(after, 2);
      for (const row of page.rows) {
        expect(row.spec).toEqual(row.name === "list.b2" ? null : await specs.get(row.name));
        expect(row.updated_at).toBeInstanceOf(Date);
      }
      seen.push(...page.rows.map(({ name }) => name));
      if (!page.more) break;
      after = seen.at(-1) as string;
    }
    expect(seen.filter((name) => name.startsWith("list"))).toEqual(["list-a", "list.b", "list.b2", "list_c"]);
    expect(new Set(seen).size).toBe(seen.length);
  });
}
