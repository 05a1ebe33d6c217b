// The parts of wrangler.toml and of a connection string that a deploy reads.
import { expect, it } from "vitest";
import { directUrl } from "../../scripts/deploy/secrets.ts";
import { isTag, targetOf } from "../../scripts/deploy/target.ts";

it("each environment of wrangler.toml is a Worker with queues of its own, and another is refused", () => {
  const vars = { VERIFIER_PROTOCOL: "openai", LOG_LEVEL: "info" };
  const queues = ["kritai-run-log", "kritai-run-log-dead-letters"];
  expect(targetOf("")).toEqual({ env: "", worker: "kritai", queues, vars });
  const staging = queues.map((name) => name.replace("kritai", "kritai-staging"));
  expect(targetOf("staging")).toEqual({ env: "staging", worker: "kritai-staging", queues: staging, vars });
  expect(() => targetOf("production")).toThrow("no environment production");
});

it("migrations go past Neon's pooler, and nowhere else than they were sent", () => {
  const pooled = "postgres://somebody:p%40ss@ep-cool-1-pooler.eu-central-1.aws.neon.tech/kritai?sslmode=require";
  expect(directUrl(pooled)).toBe(pooled.replace("-pooler", ""));
  for (const url of [pooled.replace("-pooler", ""), "postgres://u:p@db-pooler.example.com:5433/kritai"]) {
    expect(directUrl(url)).toBe(url);
  }
});

it("only a tag that a deploy of ours gives is taken for one, and it fits Cloudflare's 25 characters", () => {
  expect(["kritai-0123456789abcdef", "kritai-1", "v1.2", undefined].map(isTag)).toEqual([true, false, false, false]);
  expect("kritai-0123456789abcdef".length).toBeLessThanOrEqual(25);
});
