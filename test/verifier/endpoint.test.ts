// Holds how the openai adapter reads its configured URL, and what its health check says.
import { describe, expect, it } from "vitest";
import { apiRoot } from "../../src/core/wire/chat-endpoint.ts";
import { createOpenAiVerifier } from "../../src/verifier/openai/adapter.ts";
import { silence } from "../harness/mock-behaviours.ts";
import type { startMockVerifier } from "../harness/mock-verifier.ts";
import { clock, withMock } from "./setup.ts";

describe("the URL", () => {
  it.each([
    ["http://h:1", "http://h:1/v1"],
    ["http://h:1/", "http://h:1/v1"],
    ["http://h:1/v1/", "http://h:1/v1"],
    ["http://h/v1/chat/completions", "http://h/v1"],
    ["https://h/v1beta/openai/", "https://h/v1beta/openai"],
    ["https://h/serve", "https://h/serve/v1"],
  ])("goes to the right root for %s", (url, root) => {
    expect(apiRoot(url)).toBe(root);
  });

  it.each(["ftp://h", "http://user:key@h", "nonsense"])("is refused at once for the URL %s", (url) => {
    expect(() => createOpenAiVerifier({ url, model: "m", apiKey: null }, clock)).toThrow(TypeError);
  });
});

describe("check", () => {
  const health = async (options: Parameters<typeof startMockVerifier>[1], model = "mock-model") => {
    let result: Awaited<ReturnType<ReturnType<typeof createOpenAiVerifier>["check"]>> | undefined;
    await withMock(
      () => silence(),
      async (_, verifier) => {
        result = await verifier.check();
      },
      { model, ...(options ? { mock: options } : {}) },
    );
    return result;
  };

  it("asks whether the model is served", async () => {
    expect(await health({})).toMatchObject({ ok: true });
    expect(await health({}, "other")).toMatchObject({ ok: false, detail: "model not served" });
  });

  it("falls back to /health, and names a status or a refused key", async () => {
    expect(await health({ models: null })).toMatchObject({ ok: true });
    expect(await health({ health_status: 503 })).toMatchObject({ ok: false, detail: "status 503" });
    expect(await health({ health_status: 401 })).toMatchObject({ ok: false, detail: "key refused: VERIFIER_API_KEY" });
  });

  it("ends by itself when the server never answers", async () => {
    const never: typeof fetch = (_, init) =>
      new Promise((_, reject) => init?.signal?.addEventListener("abort", () => reject(new Error("aborted"))));
    const verifier = createOpenAiVerifier({ url: "http://h", model: "m", apiKey: null, fetch: never }, clock);
    expect(await verifier.check()).toMatchObject({ ok: false, detail: "no answer within 2000 ms" });
  });
});
