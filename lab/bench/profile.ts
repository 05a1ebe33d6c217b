// `npm run lab -- bench --profile`: where a request's CPU goes, by function, in a readable bundle.
import { bundleWorker } from "../../scripts/stack/bundle.ts";
import { type Backends, post } from "./edge-client.ts";
import { openInspector } from "./inspector.ts";
import { rewardsRequest, verdictsBody } from "./loads.ts";
import { startWorkerd } from "./workerd.ts";

const ROWS = 25;
const WARM_UP = 3;
const REPEATS = 3;

/** Prints the hottest functions of one large request to each measured route. */
export async function profileRoutes(backends: Backends): Promise<void> {
  // Not minified: with the functions' own names, which the deployed bundle has lost.
  const script = await bundleWorker({ minify: false });
  const loads = [
    { path: "/v1/verdicts", body: verdictsBody(65_536) },
    { path: "/v1/rewards", body: JSON.stringify(rewardsRequest({ groups: 64, rollouts: 16, thoughts: 1000 })) },
  ];
  const workerd = await startWorkerd({
    script,
    vars: { ...backends.verifier, ...backends.database },
    inspector: true,
  });
  try {
    const inspector = await openInspector(workerd.inspector as string);
    for (const { path, body } of loads) {
      for (let i = 0; i < WARM_UP; i++) await post(workerd.url + path, body);
      const hot = await inspector.profile(async () => {
        for (let i = 0; i < REPEATS; i++) await post(workerd.url + path, body);
      });
      console.log(`\n${path}, ms per request`);
      for (const { name, self_ms, share } of hot.slice(0, ROWS)) {
        console.log(
          `${(self_ms / REPEATS).toFixed(1).padStart(8)}  ${(share * 100).toFixed(1).padStart(5)} %  ${name}`,
        );
      }
    }
    inspector.close();
  } finally {
    await workerd.close();
  }
}
