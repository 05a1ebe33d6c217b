// The table of kinds by name: a new one is one file and one line here.
import { apiRoot } from "../../../src/core/wire/chat-endpoint.ts";
import { engineWork } from "./engine.ts";
import { gatewayWork } from "./gateway.ts";
import type { Workload } from "./item.ts";
import type { Work } from "./kind.ts";
import { rerankWork } from "./rerank.ts";
import { rewardsWork } from "./rewards.ts";
import { verdictsWork } from "./verdicts.ts";

export const KINDS = ["rewards", "rerank", "verdicts", "gateway", "engine"] as const;
export type KindName = (typeof KINDS)[number];

/** Which bodies a kind's requests are made of. */
export const BODIES: Readonly<Record<KindName, Workload["bodyType"]>> = {
  rewards: "groups",
  gateway: "groups",
  engine: "groups",
  rerank: "rerank",
  verdicts: "verdicts",
};

/**
 * The base of the target's calls: an engine's API has its own root, and every path of ours begins with /v1
 * itself. @throws TypeError for a URL that cannot be used
 */
export function baseUrl(kind: KindName, url: string): string {
  return kind === "engine" ? apiRoot(url) : url.replace(/(\/v1)?\/*$/, "");
}

/**
 * The workload's items as work for the kind.
 * @param model for `engine` only. @throws Error when the bodies are of another kind, or as the
 *   kinds do
 */
export function worksFor(kind: KindName, workload: Workload, timeout_ms: number, model: string): Work[] {
  if (workload.bodyType === "groups" && kind === "rewards") return workload.items.map(rewardsWork);
  if (workload.bodyType === "groups" && kind === "gateway")
    return workload.items.map((item) => gatewayWork(item, timeout_ms));
  if (workload.bodyType === "groups" && kind === "engine") return workload.items.map((item) => engineWork(item, model));
  if (workload.bodyType === "rerank" && kind === "rerank") return workload.items.map(rerankWork);
  if (workload.bodyType === "verdicts" && kind === "verdicts") return workload.items.map(verdictsWork);
  throw new Error(`a workload of ${workload.bodyType} cannot be sent as ${kind}`);
}
