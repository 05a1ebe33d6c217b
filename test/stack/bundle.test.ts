// Guarantees that the Worker's bundle holds nothing that only the reference needs, and that what is tested is
// what is deployed.
import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, test } from "vitest";
import { contractOperations } from "../../scripts/build/openapi/contracts.ts";
import { bundleWorker } from "../../scripts/stack/bundle.ts";
import { MAIN } from "../../scripts/stack/worker-modules.ts";
import "../../src/api/routes/rare.ts";
import "../../src/api/routes/table.ts";
import { nativeWords } from "../../src/api/routes/words.ts";
import { QUESTION } from "../../src/api/tools/shared/page.ts";
import { pageOf } from "../../src/core/health/alarm.ts";
import { ALARMS } from "../../src/core/health/alarms/table.ts";
import { MEASURE_PAGES } from "../../src/core/health/measures.ts";

describe("the Worker's bundle", async () => {
  const modules = await bundleWorker();
  const text = Object.values(modules).join("\n");

  test("is, byte by byte, what wrangler.toml deploys, with a map to the sources", () => {
    const root = new URL("../../", import.meta.url);
    const toml = readFileSync(new URL("wrangler.toml", root), "utf8");
    expect(toml).toMatch(/^no_bundle = true$/m);
    const main = new URL(/^main = "(.+)"$/m.exec(toml)?.[1] ?? "", root);
    expect(basename(main.pathname)).toBe(MAIN);
    for (const [name, module] of Object.entries(modules)) {
      expect(readFileSync(new URL(name, main), "utf8") === module, name).toBe(true);
      expect(existsSync(new URL(`${name}.map`, main)), name).toBe(true);
    }
    const map = /\/\/# sourceMappingURL=(.+)\n$/.exec(modules[MAIN] as string)?.[1] ?? "";
    const { sources } = JSON.parse(readFileSync(new URL(map, main), "utf8")) as { sources: string[] };
    expect(sources).toContain("../../src/worker.ts");
  });

  test("holds no word that only the reference says of native routes", () => {
    const told = Object.values(nativeWords());
    expect(told.length).toBeGreaterThan(30);
    for (const { operationId, summary, description = summary } of told) {
      for (const words of [summary, description]) expect(text.includes(words), `${operationId}: ${words}`).toBe(false);
    }
  });

  test("holds every contract's routes, and no word of the pages of contracts, measures and alarms", () => {
    for (const { route, operation } of contractOperations()) {
      const { operationId, summary, description = summary } = operation;
      expect(text).toContain(route.path.replace(/^\/nemo-gym.*\//, "/"));
      for (const words of [summary, description]) {
        expect(text.includes(words), `${operationId}: ${words}`).toBe(false);
      }
    }
    const pages = [
      ...Object.values(MEASURE_PAGES).map(({ words }) => words),
      ...ALARMS.map((alarm) => pageOf(alarm).rule),
    ];
    // A word or two may have another meaning there.
    for (const words of pages.filter((told) => told.includes(" "))) expect(text.includes(words), words).toBe(false);
    expect(text).not.toContain(JSON.stringify(QUESTION).slice(1, -1));
    expect(text).not.toContain("/schemas/ChatChunk");
  });
});
