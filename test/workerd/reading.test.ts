// Guarantees of a request's reading that only the real runtime can show: body streaming, decoding, crypto. A
// separate file, since the modules of a Worker and their source maps alone take most of the heap that workerd
// gives a test file.
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { LIMITS } from "../../src/core/faults/limits.ts";
import worker from "../../src/worker.ts";

describe("the body", () => {
  test("over the limit is refused while streaming, whatever is still to come", async () => {
    const mebibyte = new Uint8Array(1024 * 1024).fill(0x20);
    const chunks_max = (LIMITS.body_bytes + LIMITS.body_drain_bytes) / mebibyte.byteLength;
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (++sent > 2 * chunks_max) controller.close();
        else controller.enqueue(mebibyte);
      },
    });
    const request = new Request("http://localhost/v1/verdicts", { method: "POST", body });
    const response = await worker.fetch(request, env as unknown as Record<string, unknown>, createExecutionContext());
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ code: "body_too_large" });
    expect(sent).toBeLessThanOrEqual(chunks_max + 3);
  });

  test("of bytes that are not UTF-8 is named so, and real UTF-8 split anywhere is not", async () => {
    const bytes = new TextEncoder().encode(
      JSON.stringify({ formulation: "list_em", items: [{ text: "é😀\\boxed{B}", candidates: 3, correct: 1 }] }),
    );
    const split = (pieces: Uint8Array[]) =>
      new ReadableStream<Uint8Array>({
        start(controller) {
          for (const piece of pieces) controller.enqueue(piece);
          controller.close();
        },
      });
    const send = (pieces: Uint8Array[]) =>
      worker.fetch(
        new Request("http://localhost/v1/verdicts", { method: "POST", body: split(pieces) }),
        env as unknown as Record<string, unknown>,
        createExecutionContext(),
      );
    const fine = await send([...bytes].map((byte) => Uint8Array.of(byte)));
    expect(await fine.json()).toMatchObject({ items: [{ verdict: "B" }] });
    const broken = await send([bytes.slice(0, 40), Uint8Array.of(0xff), bytes.slice(40)]);
    expect(await broken.json()).toMatchObject({ status: 400, code: "invalid_encoding" });
  });
});

describe("keys", () => {
  // printf %s key-of-the-lab | sha256sum
  const hex = "3b1c2c1f";
  const withKeys = (keys: string, headers: Record<string, string>) =>
    worker.fetch(
      new Request("http://localhost/v1/specs/default", { headers }),
      { ...(env as unknown as Record<string, unknown>), API_KEYS: keys },
      createExecutionContext(),
    );

  test("are compared by SHA-256 with the runtime's own crypto", async () => {
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode("key-of-the-lab")));
    const keys = `lab:${[...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
    expect((await withKeys(keys, { authorization: "Bearer key-of-the-lab" })).status).toBe(200);
    expect((await withKeys(keys, { authorization: "Bearer other" })).status).toBe(401);
  });

  test("that are wrongly configured close the deployment and never open it", async () => {
    const response = await withKeys(`lab:${hex}`, {});
    expect(response.status).toBe(503);
    const text = await response.text();
    expect(text).toContain("API_KEYS");
    expect(text).not.toContain(hex);
  });
});
