// Guarantees that a reply broken off on purpose is a cut connection to the client and nothing to the
// runtime's log.
import { Miniflare } from "miniflare";
import { afterAll, beforeAll, expect, test } from "vitest";
import { COMPATIBILITY } from "../../../scripts/stack/edge.ts";
import { MAIN } from "../../../scripts/stack/worker-modules.ts";
import { bundleLimitedWorker, expectWithinLimits } from "../../harness/production-limits.ts";

const logged: string[] = [];
let miniflare: Miniflare;
let origin: string;
beforeAll(async () => {
  const entry = new URL("breaking-worker.ts", import.meta.url).pathname;
  const { [MAIN]: contents = "" } = await bundleLimitedWorker({ entry, objects: [] });
  miniflare = new Miniflare({
    cf: false,
    telemetry: { enabled: false },
    handleStructuredLogs: ({ message }) => void logged.push(message),
    workers: [
      {
        config: {
          name: "breaking",
          compatibilityDate: COMPATIBILITY.date,
          compatibilityFlags: COMPATIBILITY.flags,
          manifest: { mainModule: MAIN, modules: { [MAIN]: { type: "esm", contents } } },
        },
      },
    ],
  });
  ({ origin } = await miniflare.ready);
});
afterAll(() => miniflare.dispose());

test("a reply that breaks off ends in a transport error, and the runtime logs no uncaught exception", async () => {
  await expect(fetch(`${origin}/broken`).then((reply) => reply.text())).rejects.toThrow();
  await (await fetch(`${origin}/mark`)).text();
  await expect.poll(() => logged).toContain("mark");
  expect(logged).toEqual(["mark"]);
  await expectWithinLimits(origin);
});
