// The guarantees of the command line: defaults, and faults that name the flag and what it takes.
import { describe, expect, it } from "vitest";
import { type EvaluateOptions, readOptions, USAGE } from "../../evaluate/flags.ts";

const NEEDED = ["--set", "s", "--out", "o"];
const read = (...more: string[]) => {
  const options = readOptions([...NEEDED, ...more]);
  return options.mode === "evaluate" ? options.evaluate : (null as unknown as EvaluateOptions);
};

describe("flags", () => {
  it("have the paper's defaults", () => {
    expect(read("--control", "oracle")).toMatchObject({
      split: "test",
      formulations: ["list_em", "pair_em", "list_sc", "pair_sc"],
      k: [1, 2, 4, 8],
      "k-of": ["list_em"],
      adversarial: "kept",
      base: {},
      price: null,
    });
  });

  it("name --verifier by its model, which the spec of its stack omits", () => {
    expect(read("--verifier", "http://127.0.0.1:8000/v1", "--model", "my-judge")).toMatchObject({
      ownVerifier: { url: "http://127.0.0.1:8000/v1", model: "my-judge" },
      name: "my-judge",
      base: {},
    });
  });

  it("sort and deduplicate the samples, and put the model into the spec", () => {
    expect(
      read("--control", "cpu", "--k", "8,1,8", "--model", "m", "--spec", '{"judge":{"temperature":0}}'),
    ).toMatchObject({
      k: [1, 8],
      base: { judge: { temperature: 0, model: "m" } },
    });
  });

  it.each([
    [["--target", "http://a", "--k", "0"], "--k takes 1 to 8 integers from 1 to 64"],
    [["--target", "http://a", "--k", "1,65"], "--k takes 1 to 8 integers from 1 to 64"],
    [["--target", "http://a", "--formulations", "list_em,list_xx"], "--formulations takes names of list_em"],
    [["--target", "ftp://a"], "--target must be an http or https URL"],
    [["--control", "guess"], "--control must be one of random"],
    [["--target", "http://a", "--control", "random"], "one of --verifier, --target and --control"],
    [["--target", "http://a", "--verifier", "http://b"], "one of --verifier, --target and --control"],
    [[], "one of --verifier, --target and --control"],
    [["--verifier", "http://a"], "--verifier needs --model"],
    [["--verifier", "http://u:secret@a", "--model", "m"], "--verifier must not carry a key"],
    [["--target", "http://a", "--simulator", "{}"], "--simulator requires --control simulator"],
    [["--target", "http://u:secret@a"], "--target must not carry a key"],
    [["--target", "https://a/k/secret"], "--target must not carry a key"],
    [["--control", "simulator", "--simulator", "[]"], "--simulator: the options"],
    [["--control", "simulator", "--simulator", '{"nois":{}}'], '--simulator: the options: Unrecognized key: "nois"'],
    [["--control", "simulator", "--simulator", '{"model":"sim-9b"}'], "--simulator: model"],
    [["--control", "simulator", "--simulator", '{"noise":{"parse_rate":7}}'], "--simulator: noise.parse_rate"],
    [["--control", "simulator", "--simulator", '{"fault":"nonsense"}'], "--simulator: fault: unknown fault"],
    [["--target", "http://a", "--gpu-hour-price", "2"], "--tokens-per-second must be given together"],
    [["--target", "http://a", "--batch", "257"], "--batch must be an integer from 1 to 256"],
    [["--target", "http://a", "--spec", "{"], "--spec must be JSON or the name of a JSON file"],
    [["--target", "http://a", "--spec", '{"judge":{"top_p":2}}'], "--spec: judge.top_p"],
    [["--target", "http://a", "--spec", '{"judge":{"samples":2}}'], "--spec: judge.samples is set by"],
    [["--target", "http://a", "stray"], "unexpected argument stray"],
    [["--compare"], "--compare needs the folders"],
  ])("%j are refused with what is wrong", (flags, message) => {
    expect(() => readOptions([...NEEDED, ...flags])).toThrow(message);
  });

  it("name the folder of results by the set and the verifier where none is given", () => {
    const outOf = (...flags: string[]) => {
      const options = readOptions(["--set", "sets/small/", ...flags]);
      return options.mode === "evaluate" ? options.evaluate.out : null;
    };
    expect(outOf("--control", "oracle")).toBe("dist/evaluate/small-oracle");
    expect(outOf("--target", "http://127.0.0.1:8787")).toBe("dist/evaluate/small-127.0.0.1-8787");
    expect(outOf("--target", "http://a", "--model", "org/judge 7b")).toBe("dist/evaluate/small-org-judge-7b");
    expect(readOptions(["--compare", "a", "b"])).toMatchObject({ out: "dist/evaluate/compare" });
  });

  it("are each explained by --help", () => {
    const names = Object.keys(read("--control", "random")).filter((name) => name !== "base");
    const derived = new Set(["selection", "statistics", "price", "ownVerifier"]);
    for (const name of names) if (!derived.has(name)) expect(USAGE).toContain(`--${name}`);
  });
});
