// The guarantees of the list of stored specs over HTTP.

import { expect, test, vi } from "vitest";
import { template } from "../../../scripts/build/openapi/examples.ts";
import { ApiError } from "../../../src/core/faults/errors.ts";
import { withSignals } from "../../../src/core/reward/spec.ts";
import { specHash } from "../../../src/scoring/digest.ts";
import { fakeTemplateStore } from "../../harness/fakes.ts";
import { problemOf, setUp } from "./harness.ts";

const PUT = { method: "PUT", headers: { "content-type": "application/json" } };

test("stored specs come by name in pages, each as GET by its name tells it", async () => {
  const { call } = setUp();
  const names = ["c", "a", "b.2", "b-1"];
  for (const [seed, name] of names.entries()) {
    await call(`/v1/specs/${name}`, { ...PUT, body: JSON.stringify({ seed }) });
  }
  const seen: string[] = [];
  for (let query = "?limit=3"; ; ) {
    const page = (await (await call(`/v1/specs${query}`)).json()) as {
      specs: { name: string; spec_hash: string; spec: object; updated_at: string }[];
      next_cursor: string | null;
    };
    for (const { updated_at, ...row } of page.specs) {
      expect(await (await call(`/v1/specs/${row.name}`)).json()).toEqual(row);
      expect(Date.parse(updated_at)).not.toBeNaN();
    }
    seen.push(...page.specs.map(({ name }) => name));
    if (page.next_cursor === null) break;
    query = `?limit=3&cursor=${page.next_cursor}`;
  }
  expect(seen).toEqual(["a", "b-1", "b.2", "c"]);
});

test("a spec that is none any more, and one whose prompt is gone, are listed without what they lack", async () => {
  const { call, specs } = setUp();
  await call("/v1/specs/old", { ...PUT, body: "{}" });
  const spec = await specs.get("old");
  if (spec === null) throw new Error("the spec was not stored");
  const promptless = withSignals(spec, (signal) =>
    signal.kind === "tournament" ? { ...signal, judge: { ...(signal.judge as object), prompt: "no-more" } } : signal,
  );
  await expect(specHash(promptless)).rejects.toThrow();
  specs.page = async () => ({
    rows: [
      { name: "none", spec: null, updated_at: new Date(0) },
      { name: "promptless", spec: promptless, updated_at: new Date(0) },
    ],
    more: false,
  });
  expect(await (await call("/v1/specs")).json()).toMatchObject({
    specs: [
      { name: "none", spec: null, spec_hash: null },
      { name: "promptless", spec_hash: null },
    ],
    next_cursor: null,
  });
});

test("a template that many specs name is asked for once, and a database that is away is told, not taken for it", async () => {
  const templates = fakeTemplateStore();
  const { call } = setUp({ templates });
  await call("/v1/templates/mine", { ...PUT, body: JSON.stringify(template) });
  for (const seed of [1, 2, 3]) {
    await call(`/v1/specs/s${seed}`, { ...PUT, body: JSON.stringify({ seed, judge: { preset: "mine" } }) });
  }
  const get = vi.spyOn(templates, "get");
  const { specs } = (await (await call("/v1/specs")).json()) as { specs: { spec_hash: string | null }[] };
  expect(new Set(specs.flatMap(({ spec_hash }) => spec_hash ?? [])).size).toBe(3);
  expect(get).toHaveBeenCalledTimes(1);
  get.mockRejectedValue(new ApiError("store_unavailable", "The run log's database did not answer as it should."));
  expect(await problemOf(await call("/v1/specs"))).toMatchObject({ code: "store_unavailable" });
});

test("a cursor that is no name is refused", async () => {
  const problem = await problemOf(await setUp().call("/v1/specs?cursor=A%20B"));
  expect(problem).toMatchObject({ code: "invalid_request", errors: [{ path: "cursor" }] });
});
