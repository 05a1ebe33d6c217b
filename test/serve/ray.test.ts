// The Ray Serve LLM configurations: held to the schemas of the pinned Ray and to the fields of the
// vLLM that it pins.
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/core/faults/limits.ts";
import { flagsOf, launch } from "./launching.ts";
import { documentsOf, FLAGS, faultsOf, RAY, RAY_VERSION, recipesIn, textOf, validateRay } from "./records.ts";

type Json = Record<string, unknown>;
interface LlmConfig {
  model_loading_config: { model_source: string };
  engine_kwargs: Json;
  deployment_config: Json & { autoscaling_config?: Json; graceful_shutdown_timeout_s: number };
}
interface Deploy {
  http_options: { request_timeout_s: number };
  applications: { import_path: string; args: { llm_configs: LlmConfig[]; ingress_deployment_config?: Json } }[];
}

const FILES = recipesIn("ray", ".yaml");
const read = (path: string) => documentsOf(path)[0] as Deploy;
const configsOf = (path: string) => read(path).applications.flatMap(({ args }) => args.llm_configs);

/** The pinned vLLM's faults of engine_kwargs. */
function kwargFaults(kwargs: Json): string[] {
  return Object.entries(kwargs).flatMap(([name, value]) => {
    const kind = FLAGS.rayVllm.flags[`--${name.replaceAll("_", "-")}`];
    if (kind === undefined) return [`${name} is no field of vLLM ${FLAGS.rayVllm.version}`];
    if (kind === "switch") return typeof value === "boolean" ? [] : [`${name} is true or false`];
    return kind === "value" || kind.includes(String(value)) ? [] : [`${name} takes ${kind}`];
  });
}

describe.each(FILES)("%s", (path) => {
  it("fits the schema of a Serve deployment, and each model that of an LLMConfig", () => {
    expect(faultsOf(validateRay("deploy"), read(path))).toEqual([]);
    for (const config of configsOf(path)) {
      expect(faultsOf(validateRay("llm_config"), config)).toEqual([]);
      expect(faultsOf(validateRay("model_loading_config"), config.model_loading_config)).toEqual([]);
    }
  });

  it("names its release, and no deployment option or autoscaling field that it lacks", () => {
    expect(textOf(path).split("\n")[0]).toContain(` ${RAY_VERSION} (with the vLLM ${FLAGS.rayVllm.version}`);
    const options = read(path).applications.flatMap(({ args }) => [
      ...args.llm_configs.map((config) => config.deployment_config),
      ...(args.ingress_deployment_config ? [args.ingress_deployment_config] : []),
    ]);
    expect(options.flatMap(Object.keys).filter((name) => !RAY.deployment_options.includes(name))).toEqual([]);
    const autoscaling = options.flatMap((option) => (option.autoscaling_config ? [option.autoscaling_config] : []));
    expect(autoscaling.flatMap((config) => faultsOf(validateRay("autoscaling_config"), config))).toEqual([]);
  });

  it("gives the engine what the launch script gives it, as far as this vLLM knows it", async () => {
    for (const { engine_kwargs, model_loading_config } of configsOf(path)) {
      expect(kwargFaults(engine_kwargs)).toEqual([]);
      const size = /Qwen-([\d.]+B)$/.exec(model_loading_config.model_source)?.[1] ?? "";
      const flags = flagsOf((await launch("vllm.sh", [size.toLowerCase()])).argv);
      const said = Object.entries(engine_kwargs).map(([name, value]) => {
        const flag = flags.get(`--${name.replaceAll("_", "-")}`);
        const expected = flag === null ? true : flag?.startsWith("{") ? JSON.parse(flag) : flag;
        return [name, typeof value === "number" ? Number(expected) : expected];
      });
      expect(engine_kwargs).toEqual(Object.fromEntries(said));
    }
  });

  it("lets a batch of the longest deadline finish, on a call and on a shutdown", () => {
    expect(read(path).http_options.request_timeout_s * 1000).toBeGreaterThan(LIMITS.deadline_ms_max);
    for (const { deployment_config } of configsOf(path))
      expect(deployment_config.graceful_shutdown_timeout_s * 1000).toBeGreaterThan(LIMITS.deadline_ms_max);
  });
});

describe("the checks", () => {
  it("find a field that Ray or its vLLM does not have", () => {
    const [config] = configsOf(FILES[0] as string) as [LlmConfig];
    expect(faultsOf(validateRay("llm_config"), { ...config, replicas: 2 })).toHaveLength(1);
    expect(kwargFaults({ sse_keep_alive_interval: 5 })).toHaveLength(1);
    expect(kwargFaults({ scheduling_policy: "random" })).toHaveLength(1);
  });

  it("find both recipes, one scaled by the requests a replica runs", () => {
    expect(FILES.map((path) => path.split("/").at(-1))).toEqual(["many-gpus.yaml", "one-gpu.yaml"]);
    const scaled = configsOf(FILES[0] as string)[0] as LlmConfig;
    expect(Number(scaled.deployment_config.autoscaling_config?.target_ongoing_requests)).toBeLessThan(
      Number(scaled.engine_kwargs.max_num_seqs),
    );
  });
});
