// Holds that the edge is started with the heap limit of an isolate on Cloudflare, and that it tells its end.
import { expect, it } from "vitest";
import { OBJECTS, startEdge } from "../../scripts/stack/edge.ts";
import { alone } from "../../scripts/stack/worker-modules.ts";

it("a Worker that keeps more than an isolate may ends workerd, which is told", async () => {
  const classes = Object.values(OBJECTS).map((name) => `export class ${name} {}`);
  const keeping = `const kept = [];
export default { fetch() { for (;;) kept.push(new Array(100_000).fill(kept.length + 0.5)); } };
${classes.join("\n")}`;
  const edge = await startEdge({ host: "127.0.0.1", port: 0, script: alone(keeping), vars: {}, logged: () => {} });
  try {
    await expect(fetch(edge.url)).rejects.toThrow();
    expect(await edge.ended).toMatch(/\w/);
  } finally {
    await edge.close();
  }
});
