// Holds that a reply which is long in coming is heard of through the edge, also by a client that
// takes compressed replies.
import { expect, it } from "vitest";
import { bundleWorker } from "../../scripts/stack/bundle.ts";
import { startEdge } from "../../scripts/stack/edge.ts";
import { silence } from "../harness/mock-behaviours.ts";
import { startMockVerifier } from "../harness/mock-verifier.ts";

it("its white space is not held back by compression", async () => {
  const mock = await startMockVerifier(() => silence());
  const vars = { VERIFIER_URL: mock.url, VERIFIER_MODEL: "mock-model" };
  const edge = await startEdge({ host: "127.0.0.1", port: 0, script: await bundleWorker(), vars });
  const leaving = new AbortController();
  try {
    const headers = { "content-type": "application/json", "accept-encoding": "gzip, br" };
    const body = JSON.stringify({ model: "rm", query: "p", documents: ["a", "b"] });
    const reply = await fetch(`${edge.url}/v2/rerank`, { method: "POST", headers, body, signal: leaving.signal });
    const first = await reply.body?.getReader().read();
    expect(new TextDecoder().decode(first?.value)).toBe("\n");
  } finally {
    leaving.abort();
    await edge.close();
    await mock.close();
  }
});
