// Owns the table of foreign contracts: one line a route. A contract that is new is one file and one
// line here.
import type { RouteDeps } from "../http/deps.ts";
import type { AppContext } from "../http/scope.ts";
import { about, healthz } from "../routes/service.ts";
import { chatCompletions } from "./chat/chat-completions.ts";
import { models } from "./chat/models.ts";
import { scoreFlatBatch } from "./flat/score-batch.ts";
import { bareRerank } from "./rerank/bare-rerank.ts";
import { classify } from "./rerank/classify.ts";
import { rerank } from "./rerank/rerank.ts";
import { score } from "./rerank/score.ts";
import { evaluate } from "./samples/eval-protocol.ts";
import { NEMO_GYM_PREFIXES, nemoGymReverifyMode, nemoGymSession, nemoGymVerify } from "./samples/nemo-gym.ts";
import { nemoGymMetrics } from "./samples/nemo-gym-metrics.ts";
import { openRlhfReward } from "./samples/openrlhf.ts";
import { slimeReward } from "./samples/slime.ts";
import { verlComputeScore } from "./samples/verl.ts";

type Handler = (c: AppContext) => Response | Promise<Response>;

type Route = readonly [method: string, path: string, handler: Handler];

/** Method, path and handler of every foreign contract's route. */
export function contractRoutes(deps: RouteDeps): readonly Route[] {
  return [
    ["POST", "/v1/rerank", rerank(deps, "1")],
    ["POST", "/v2/rerank", rerank(deps, "2")],
    ["POST", "/rerank", bareRerank(deps)],
    ["POST", "/score", score(deps)],
    ["POST", "/v1/score", score(deps)],
    ["POST", "/classify", classify(deps)],
    ["POST", "/v1/score_batch", scoreFlatBatch(deps)],
    ["POST", "/v1/chat/completions", chatCompletions(deps)],
    ["GET", "/v1/models", models(deps)],
    ["POST", "/openrlhf/get_reward", openRlhfReward(deps)],
    ["POST", "/slime/reward", slimeReward(deps)],
    ["POST", "/verl/compute_score", verlComputeScore(deps)],
    ["POST", "/evaluate", evaluate(deps)],
    ["GET", "/health", healthz()],
    ["GET", "/nemo-gym/", about()],
    ...NEMO_GYM_PREFIXES.flatMap((prefix) => nemoGymRoutes(deps, prefix)),
  ];
}

function nemoGymRoutes(deps: RouteDeps, prefix: string): Route[] {
  return [
    ["POST", `${prefix}/verify`, nemoGymVerify(deps)],
    ["POST", `${prefix}/seed_session`, nemoGymSession()],
    ["POST", `${prefix}/close_session`, nemoGymSession()],
    ["POST", `${prefix}/aggregate_metrics`, nemoGymMetrics()],
    ["GET", `${prefix}/reverify_mode`, nemoGymReverifyMode()],
  ];
}
