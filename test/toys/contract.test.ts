// A contract of another tool that is one file and one line of the table: routed, guarded, bounded in time,
// with faults in its own dialect, documented, and known to schemathesis.
import { createHash } from "node:crypto";
import { describe, expect, test, vi } from "vitest";
import { openapiText, publicFiles } from "../../scripts/build/openapi/document.ts";
import { refusalTable } from "../../scripts/build/openapi/refusals.ts";
import { LIMITS } from "../../src/core/faults/limits.ts";
import { longest, setUp } from "../api/routes/harness.ts";
import { fakeVerifier, fixedClock } from "../harness/fakes.ts";

vi.mock("../../src/api/tools/table.ts", async (original) => {
  const { CONTRACTS } = await original<typeof import("../../src/api/tools/table.ts")>();
  const { toyContract } = await import("./toy-contract.ts");
  return { CONTRACTS: [...CONTRACTS, toyContract] };
});

const BODY = { question: "q", pair: ["one", "three"] };
const key = (scopes: string[]) => [
  { name: "k", digest: new Uint8Array(createHash("sha256").update("k").digest()), scopes: scopes as ["score"] },
];
const bearer = { authorization: "Bearer k" };

describe("a contract in one file and one line", () => {
  test("answers over HTTP, and to nobody without the scope that it names", async () => {
    const open = await setUp().post("/toy/better", BODY);
    expect(await open.json()).toEqual({ better: "B" });
    const { post, call } = setUp({ keys: key(["logs"]) });
    const refused = await post("/toy/better", BODY, bearer);
    expect([refused.status, await refused.json()]).toMatchObject([403, { toy_error: "forbidden_scope" }]);
    expect((await post("/toy/better", BODY)).status).toBe(401);
    expect((await call("/toy/alive")).status).toBe(200);
    const allowed = setUp({ keys: key(["score"]) });
    expect((await allowed.post("/toy/better", BODY, bearer)).status).toBe(200);
  });

  test("tells its faults in its own dialect, and is counted by its route", async () => {
    const { post, call } = setUp();
    const reply = await post("/toy/better", { question: 1 });
    expect([reply.status, await reply.json()]).toMatchObject([400, { toy_error: "invalid_request", status: 400 }]);
    expect(await (await call("/metrics")).text()).toContain('route="/toy/better",status="400"');
  });

  test("ends within 80 % of what its clients wait", async () => {
    const verifier = fakeVerifier(longest);
    const clock = fixedClock();
    await setUp({ verifier, clock }).post("/toy/better", BODY);
    expect((verifier.calls[0]?.deadline_at ?? 0) - clock.now()).toBe(20_000 * 0.8 - LIMITS.deadline_reserve_ms);
  });

  test("stands in the OpenAPI document and on the reference page, with its names and rules", () => {
    const document = JSON.parse(openapiText());
    const { post } = document.paths["/toy/better"];
    expect(post).toMatchObject({ operationId: "toyBetter", summary: "The toy's better of two" });
    expect(post.requestBody.content["application/json"].schema).toEqual({ $ref: "#/components/schemas/ToyRequest" });
    expect(document.components.schemas.ToyRequest.properties.pair.contains).toEqual({
      required: ["a"],
      properties: { a: true },
    });
    expect(document.paths["/toy/alive"].get.security).toEqual([]);
    expect(publicFiles()["docs.html"]).toContain('id="toyBetter"');
  });

  test("gives schemathesis its right refusals", () => {
    expect(refusalTable().operations.toyBetter).toMatchObject([{ why: "a toy's own rule", status: 400 }]);
  });
});
