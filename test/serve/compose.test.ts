// The compose files: held to the Compose Specification's schema, to the releases the scripts were
// written for, and to the gateway's own variables.
import { describe, expect, it } from "vitest";
import { readGatewayEnv } from "../../gpu-backend/gateway/env.ts";
import { LIMITS } from "../../src/core/faults/limits.ts";
import { documentsOf, FLAGS, faultsOf, interpolated, textOf, validateCompose } from "./records.ts";

const FILES = ["compose.yaml", "compose.sglang.yaml", "compose.two-gpus.yaml"].map((n) => `gpu-backend/serve/${n}`);
const [MAIN, SGLANG, TWO] = FILES as [string, string, string];

interface Service {
  image?: string;
  environment: Record<string, string>;
  entrypoint: string[];
  ports?: string[];
  stop_grace_period: string;
  healthcheck: { test: string[] };
  deploy: { resources: { reservations: { devices: { device_ids: string[] }[] } } };
  [key: string]: unknown;
}
interface Compose {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
}

const read = (path: string, env: Record<string, string> = { GATEWAY_API_KEY: "k".repeat(16) }): Compose =>
  interpolated(documentsOf(path)[0], env) as Compose;

describe("compose files", () => {
  it.each(FILES)("%s fit the Compose Specification's schema, before and after variables are replaced", (path) => {
    expect(documentsOf(path).flatMap((document) => faultsOf(validateCompose(), document))).toEqual([]);
    expect(faultsOf(validateCompose(), read(path))).toEqual([]);
  });

  it("would be refused by that schema with a key it does not know", () => {
    const compose = read(MAIN);
    (compose.services.engine as Service).restart_policy = "always";
    expect(faultsOf(validateCompose(), compose).join()).toContain("restart_policy");
  });

  it("pin the images to the releases that the launch scripts were written for", () => {
    expect(read(MAIN).services.engine?.image).toBe(`vllm/vllm-openai:v${FLAGS.vllm.version}`);
    expect(read(SGLANG).services.engine?.image).toBe(`lmsysorg/sglang:v${FLAGS.sglang.version}`);
    expect(read(MAIN).services.gateway?.image).toMatch(/:\d+\.\d+\.\d+$/);
  });

  it("set nothing for an engine that its launch script does not read", () => {
    const sizes = textOf("gpu-backend/serve/launch/sizes.sh");
    const { HF_TOKEN: _, ...settings } = read(MAIN).services.engine?.environment ?? {};
    expect(Object.keys(settings).filter((name) => !sizes.includes(`\n${name}=\${${name}:-`))).toEqual([]);
    // Left empty they mean the script's own default, as if they were not set.
    expect(settings.GENERATIONS_MAX).toBe("");
  });

  it("give the gateway variables that it accepts, and refuse to start without its key", () => {
    const { faults, config } = readGatewayEnv(read(MAIN).services.gateway?.environment ?? {});
    expect(faults).toBeNull();
    expect(config?.ENGINE_URL).toEqual(["http://engine:8000"]);
    expect(() => read(MAIN, {})).toThrow("GATEWAY_API_KEY");
  });

  it("give both services a health check, a restart policy, file handles, and longer to stop than the longest deadline", () => {
    const { services } = read(MAIN);
    for (const service of Object.values(services)) {
      expect(service.restart).toBe("unless-stopped");
      expect(service.healthcheck.test[0]).toBe("CMD");
      expect(service.ulimits).toHaveProperty("nofile");
      expect(Number.parseInt(service.stop_grace_period, 10) * 60_000).toBeGreaterThan(LIMITS.deadline_ms_max);
    }
    expect(services.engine?.deploy.resources.reservations.devices[0]?.device_ids).toEqual(["0"]);
    expect(services.gateway?.depends_on).toEqual({ engine: { condition: "service_healthy" } });
  });

  it("publish the gateway alone, on loopback", () => {
    const { services } = read(MAIN);
    expect(services.engine?.ports).toBeUndefined();
    expect(services.gateway?.ports).toEqual(["127.0.0.1:8791:8791"]);
  });

  it("for two GPUs name every engine that there is, each on a GPU of its own", () => {
    const [one, two] = [read(MAIN), read(TWO)];
    const names = ["engine", ...Object.keys(two.services).filter((name) => name.startsWith("engine-"))];
    expect(two.services.gateway?.environment.ENGINE_URL).toBe(names.map((name) => `http://${name}:8000`).join(","));
    const devices = [one.services.engine, two.services["engine-1"]].map(
      (s) => s?.deploy.resources.reservations.devices[0]?.device_ids[0],
    );
    expect(new Set(devices).size).toBe(2);
  });
});
