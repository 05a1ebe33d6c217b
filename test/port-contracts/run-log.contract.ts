// Defines what every RunLog and SpecStore must do, whatever database is behind it. Run by test/run-log for
// each database that is there. Invariant 4: Scoring is idempotent: same request key, same answer, one set of
// log rows.
import { afterAll, beforeAll, describe } from "vitest";
import { deletes } from "./run-log/deletes.ts";
import { namedSpecs } from "./run-log/named-specs.ts";
import { owned } from "./run-log/owned.ts";
import { pages } from "./run-log/pages.ts";
import { reads } from "./run-log/reads.ts";
import type { StoreUnderTest } from "./run-log/store.ts";
import { writes } from "./run-log/writes.ts";

export type { StoreUnderTest };

/** Declares the suite. `makeStore` opens a migrated database for this suite alone. */
export function runLogContract(name: string, makeStore: () => Promise<StoreUnderTest>): void {
  describe(`run log on ${name}`, () => {
    let store: StoreUnderTest;
    beforeAll(async () => {
      store = await makeStore();
    });
    afterAll(() => store.close());
    writes(() => store);
    reads(() => store);
    pages(() => store);
    owned(() => store);
    deletes(() => store);
    namedSpecs(() => store);
  });
}
