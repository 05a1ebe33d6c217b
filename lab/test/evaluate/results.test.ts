// Guarantees that the committed results are of the committed set.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const ROOT = new URL("../../..", import.meta.url).pathname;

it("the CPU verifier's committed report matches the current set in sets/small (lab/results/README.md says how to regenerate it)", () => {
  const sha256 = createHash("sha256")
    .update(readFileSync(`${ROOT}sets/small/manifest.json`))
    .digest("hex");
  expect(readFileSync(`${ROOT}lab/results/cpu-verifier.md`, "utf8")).toContain(`sha256:${sha256}`);
});
