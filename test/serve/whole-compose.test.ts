// The compose file of the whole service: held to the Compose Specification's schema, to the images
// that it starts, and to the variables that these read.
import { describe, expect, it } from "vitest";
import { readGatewayEnv } from "../../gpu-backend/gateway/env.ts";
import { readEnv, VARIABLES } from "../../src/env.ts";
import { documentsOf, faultsOf, interpolated, textOf, validateCompose } from "./records.ts";

interface Service {
  environment?: Record<string, string>;
  [key: string]: unknown;
}
interface Compose {
  services: Record<"kritai" | "migrate" | "postgres" | "gateway" | "engine", Service>;
  volumes: Record<string, unknown>;
}

const SECRETS = { API_KEYS: `trainer:${"0".repeat(64)}`, POSTGRES_PASSWORD: "p", GATEWAY_API_KEY: "k".repeat(16) };
const read = (env: Record<string, string> = SECRETS) => interpolated(documentsOf("compose.yaml")[0], env) as Compose;

/** `ENV` and `EXPOSE` of an image's last stage. */
function imageOf(dockerfile: string): { env: Record<string, string>; port: string | undefined } {
  const text = textOf(dockerfile);
  const env = /^ENV (.+)$/m.exec(text)?.[1] ?? "";
  return {
    env: Object.fromEntries(env.split(" ").map((pair) => pair.split("=") as [string, string])),
    port: /^EXPOSE (\d+)$/m.exec(text)?.[1],
  };
}

describe("the compose file of the whole service", () => {
  it("fits the Compose Specification's schema, before and after variables are replaced", () => {
    expect(faultsOf(validateCompose(), documentsOf("compose.yaml")[0])).toEqual([]);
    expect(faultsOf(validateCompose(), read())).toEqual([]);
  });

  it("starts nothing without a key, a password and a secret, and has none of its own", () => {
    for (const name of Object.keys(SECRETS)) expect(() => read({ ...SECRETS, [name]: "" }), name).toThrow(name);
  });

  it("gives the service variables that it reads and accepts, and migrates the same database", () => {
    const { kritai, migrate } = read().services;
    const vars = kritai.environment ?? {};
    expect(Object.keys(vars).filter((name) => !VARIABLES.includes(name))).toEqual([]);
    expect(readEnv({ ...vars, KEY_COUNTERS: {} }).faults).toEqual([]);
    expect(migrate.environment?.DATABASE_URL).toBe(vars.DATABASE_URL);
    const table = textOf("docs/variables.md");
    expect(Object.keys(vars).filter((name) => !table.includes(`\`${name}\``))).toEqual([]);
  });

  it("gives the gateway variables that it accepts, and the service its address and its key", () => {
    const { kritai, gateway } = read().services;
    const { env, port } = imageOf("gpu-backend/Dockerfile");
    const { faults, config } = readGatewayEnv({ ...env, ...gateway.environment });
    expect(faults).toBeNull();
    expect(config?.ENGINE_URL).toEqual(["http://engine:8000"]);
    expect(kritai.environment).toMatchObject({
      VERIFIER_URL: `http://gateway:${port}`,
      VERIFIER_PROTOCOL: "verify",
      VERIFIER_API_KEY: gateway.environment?.GATEWAY_API_KEY,
    });
  });

  it("publishes the service alone, on loopback, at the port of its image, with its state in the image's volume", () => {
    const { services, volumes } = read();
    const { env, port } = imageOf("Dockerfile");
    expect(services.kritai.ports).toEqual([`127.0.0.1:${env.PORT}:${port}`]);
    expect(services.kritai.volumes).toEqual([`state:${env.DATA_DIR}`]);
    const { kritai: _, ...others } = services;
    expect(Object.values(others).filter(({ ports }) => ports !== undefined)).toEqual([]);
    const engine = documentsOf("gpu-backend/serve/compose.yaml")[0] as Compose;
    expect(Object.keys(volumes)).toEqual(expect.arrayContaining(Object.keys(engine.volumes)));
    expect(services.engine).toMatchObject({ profiles: ["gpu"], extends: { service: "engine" } });
    expect(engine.services.engine).toBeDefined();
  });

  it("runs what is ours read-only, without a capability, and gives it longer to end than its requests have", () => {
    const { kritai, migrate, gateway } = read().services;
    for (const service of [kritai, migrate, gateway]) {
      expect(service).toMatchObject({ read_only: true, cap_drop: ["ALL"] });
      expect(service.security_opt).toEqual(["no-new-privileges:true"]);
    }
    const drain = Number(/DRAIN_MS = ([\d_]+)/.exec(textOf("scripts/stack/commands/serve.ts"))?.[1]?.replace("_", ""));
    expect(Number.parseInt(kritai.stop_grace_period as string, 10) * 1000).toBeGreaterThan(drain);
  });
});
