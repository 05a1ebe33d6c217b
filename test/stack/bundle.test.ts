// Owns the guarantee that the Worker's bundle holds nothing that only the reference needs.
import { describe, expect, test } from "vitest";
import { contractOperations } from "../../scripts/build/openapi/contracts.ts";
import { bundleWorker } from "../../scripts/stack/edge.ts";
import { QUESTION } from "../../src/api/contracts/example-texts.ts";

describe("the Worker's bundle", async () => {
  const text = await bundleWorker();

  test("holds every contract's routes, and no word of their pages", () => {
    for (const { route, operation } of contractOperations()) {
      const { operationId, summary, description = summary } = operation;
      expect(text).toContain(route.path.replace(/^\/nemo-gym.*\//, "/"));
      for (const words of [summary, description]) {
        expect(text.includes(words), `${operationId}: ${words}`).toBe(false);
      }
    }
    expect(text).not.toContain(JSON.stringify(QUESTION).slice(1, -1));
    expect(text).not.toContain("/schemas/ChatChunk");
  });
});
