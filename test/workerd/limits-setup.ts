// The last look of every workerd test file: nothing that it did would have been refused or held back in
// production.
import { exports } from "cloudflare:workers";
import { afterAll, expect } from "vitest";
import { PATH } from "../harness/production-limits/ledger.ts";

afterAll(async () => {
  const report = await (await exports.default.fetch(`http://localhost${PATH}`)).json();
  expect(report).toMatchObject({ violations: [], held_back: 0 });
});
