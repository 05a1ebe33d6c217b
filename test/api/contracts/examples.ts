// The examples of the contracts' own pages by name, for the tests that send them.

import { RERANK_EXAMPLES } from "../../../src/api/tools/rerankers.ts";

export { EXAMPLE as chat } from "../../../src/api/tools/chat-completions.ts";
export { EXAMPLE as classify } from "../../../src/api/tools/classify.ts";
export { EXAMPLE as evalProtocol } from "../../../src/api/tools/eval-protocol.ts";
export { EXAMPLE as nemoGymCompare } from "../../../src/api/tools/nemo-gym-compare.ts";
export { EXAMPLE as openRlhf } from "../../../src/api/tools/openrlhf.ts";
export { EXAMPLE as responses } from "../../../src/api/tools/responses.ts";
export { EXAMPLE as ruler } from "../../../src/api/tools/ruler.ts";
export { EXAMPLE as score } from "../../../src/api/tools/score.ts";
export { EXAMPLE as scoreBatch } from "../../../src/api/tools/score-batch.ts";
export {
  ROWS_EXAMPLE as nemoGymRows,
  VERIFY_EXAMPLE as nemoGym,
} from "../../../src/api/tools/shared/nemo-gym-page.ts";
export { EXAMPLE as slime } from "../../../src/api/tools/slime.ts";
export { EXAMPLE as verl } from "../../../src/api/tools/verl.ts";
export const { rerank, tei, voyage, infinity, pinecone, mixedbread, vertex } = RERANK_EXAMPLES;
