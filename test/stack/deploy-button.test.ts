// A deploy button's inputs (Cloudflare's page of July 2026): secrets are the uncommented lines of
// .dev.vars.example, each prefilled with its value; names of bindings are explained in package.json.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readEnv } from "../../src/env.ts";

const textOf = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const toml = textOf("wrangler.toml");
const { cloudflare, scripts } = JSON.parse(textOf("package.json")) as {
  scripts: Record<string, string>;
  cloudflare: { label: string; products: string[]; bindings: Record<string, { description: string }> };
};
const asked = Object.fromEntries(
  textOf(".dev.vars.example")
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith("#"))
    .map((line) => line.split("=", 2) as [string, string]),
);
const named = (pattern: RegExp) => [...toml.matchAll(pattern)].flatMap(([, name = ""]) => name);

describe("a deploy button", () => {
  it("asks for what a deployment cannot do without, and for the judge's address and key", () => {
    const required = named(/^\[secrets\]\nrequired = \[(.+)\]$/gm).flatMap(
      (list) => JSON.parse(`[${list}]`) as string[],
    );
    expect(Object.keys(asked)).toEqual([...required, "VERIFIER_URL", "VERIFIER_API_KEY"]);
    expect(toml).toContain(`[env.staging.secrets]\nrequired = ${JSON.stringify(required).replaceAll(",", ", ")}\n`);
  });

  it("prefills nothing that works: left as it is, nobody is let in and nothing is configured", () => {
    expect(Object.values(asked).every((value) => value === "")).toBe(true);
    const { config, faults } = readEnv(asked);
    expect(faults).toEqual([]);
    expect([config.API_KEYS, config.DATABASE_URL, config.backends]).toEqual([undefined, undefined, []]);
  });

  it("runs the deploy script in place of wrangler's, and finds the README's part for the dashboard", () => {
    // test/deploy/deploy.test.ts runs it as the builder does.
    const main = scripts.deploy?.split(" ").at(-1) ?? "";
    expect(textOf(main)).toContain("WORKERS_CI");
    expect(scripts.build).toBeUndefined();
    const [before = "", shown = "", ...after] = textOf("README.md").split(/<!-- dash-content-(?:start|end) -->/);
    expect(before).toBe("# Kritai\n\n");
    expect(shown.trim().length).toBeGreaterThan(500);
    expect(after).toHaveLength(1);
  });

  it("explains each binding, variable and secret, and no other", () => {
    const top = toml.slice(0, toml.indexOf("\n[env."));
    const vars = /\n\[vars\]\n((?:\w+ = .+\n)+)/.exec(top)?.[1] ?? "";
    const bindings = [...top.matchAll(/^(?:name|binding) = "([A-Z_]+)"$/gm)].map(([, name = ""]) => name);
    const names = [...Object.keys(asked), ...[...vars.matchAll(/^\w+/gm)].map(([name]) => name), ...bindings];
    expect(names.length).toBeGreaterThan(12);
    expect(Object.keys(cloudflare.bindings).sort()).toEqual(names.sort());
    for (const { description } of Object.values(cloudflare.bindings)) expect(description).toMatch(/^.{10,300}$/);
    expect(cloudflare.products.length).toBeLessThanOrEqual(3);
  });
});

it("the top level of wrangler.toml deploys, with an address; what was set elsewhere stays", () => {
  const first = toml.slice(0, toml.search(/^\[/m));
  expect(first).toMatch(/^workers_dev = true$/m);
  expect(first).toMatch(/^keep_vars = true$/m);
  expect(named(/^\[env\.(\w+)\]$/gm)).toEqual(["staging"]);
});
