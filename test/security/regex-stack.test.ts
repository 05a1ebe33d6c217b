// Guarantees that no long text exhausts the stack of a pattern: V8 compiles patterns so that each char takes
// some of it, once an isolate has compiled many. A child process does so from the start.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const SRC = fileURLToPath(new URL("../../src/", import.meta.url));

/** Runs a program with such patterns and returns its output by line; `from` imports a module of src. */
function lines(program: string): string[] {
  const source = `const from = (path) => import(${JSON.stringify(SRC)} + path);\n${program}`;
  const args = ["--no-regexp-optimization", "--input-type=module", "-e", source];
  return execFileSync(process.execPath, args, { encoding: "utf8" }).trim().split("\n");
}

it("patterns are compiled so here", () => {
  const overflow = `try { /^(?:[^"\\\\]|\\\\.)*$/.test("a".repeat(8e6)); console.log("fits"); } catch (e) { console.log(e.name); }`;
  expect(lines(overflow)).toEqual(["RangeError"]);
});

it("a body of megabytes that is no JSON is told where", () => {
  const told = lines(`
    const { describeJsonFault } = await from("core/faults/json-fault.ts");
    for (const text of [" ".repeat(12e6) + "x", "1".repeat(12e6) + "x", '["' + "a".repeat(12e6), "[1" + " ".repeat(12e6) + "2]"])
      console.log(describeJsonFault(text).message);`);
  expect(told).toEqual([
    "not a JSON value",
    "not a JSON value",
    "a string is not closed, or contains a raw control character or an invalid escape",
    "expected a comma or the end of the array",
  ]);
});

it("an image beyond its bound is refused by name, and one within it is written to a judge", () => {
  const told = lines(`
    const { liftImages } = await from("api/routes/request-images.ts");
    const { SpecSchema } = await from("core/reward/signals-spec.ts");
    const { RewardsRequestSchema } = await from("core/reward/requests.ts");
    const { atOnce } = await from("api/door/body-reading.ts");
    const { createQuestionWriter } = await from("core/judges/question-json.ts");
    const { imageHead } = await from("core/judges/image-parts.ts");
    const judge = { preset: "mtbench-ab", images: true };
    const spec = SpecSchema.parse({
      candidate: { extract: "whole" },
      signals: { r: { kind: "tournament", judge } },
      reward: "r",
    });
    const url = (bytes) => "data:image/png;base64," + Buffer.from("\\x89PNG\\r\\n\\x1a\\n" + "a".repeat(bytes), "latin1").toString("base64");
    const lift = async (bytes) => {
      const image_url = { url: url(bytes) };
      const prompt = [{ role: "user", content: [{ type: "image_url", image_url }] }];
      const request = RewardsRequestSchema.parse({ groups: [{ prompt, rollouts: [{ text: "a" }, { text: "b" }] }] });
      await liftImages(request, spec, [["groups", 0, "prompt", 0, "content", 0]], atOnce);
      return request.groups[0].images;
    };
    await lift(12e6).catch(({ message }) => console.log(message));
    const images = await lift(4e6);
    const [digest] = Object.keys(images);
    const job = { question: imageHead("P", digest), language: null, candidates: ["a", "b"], images };
    console.log(createQuestionWriter("mtbench-ab", {}, job)([0, 1]).length > 5e6);`);
  expect(told).toEqual([expect.stringContaining("group_image_bytes"), "true"]);
});
