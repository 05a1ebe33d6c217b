// Exports training rows from a run, with the columns of TRL's datasets, by joining the logged groups with the
// logged prompts and answers in one pass.
import * as z from "zod";
import { said } from "#said";
import type { StoredText } from "../../core/contract/export-tables.ts";
import type { RunKey } from "../../core/contract/owner.ts";
import {
  answerMessages,
  isChatPrompt,
  type LoggedAnswer,
  PromptRoom,
  pairsOf,
  positivesOf,
  promptMessages,
  type TRAINING_TABLES,
} from "../../core/contract/training-rows.ts";
import type { GroupRow } from "../../ports/logged-rows.ts";
import type { RunLog } from "../../ports/run-log.ts";
import { wholeNumber } from "../door/parameters.ts";

type TrainingTable = (typeof TRAINING_TABLES)[number];

/** Schema of a query parameter that is a decimal number, such as a reward or a difference of rewards. */
const decimal = (sign: string) =>
  z
    .string()
    .regex(new RegExp(`^${sign}[0-9]{1,15}(?:\\.[0-9]{1,20})?(?:e-?[0-9]{1,2})?$`), "must be a number, such as 0.25")
    .optional();

/** Query parameters that select and limit the training rows. */
export const TrainingQuerySchema = z.object({
  margin: decimal("").meta(said("minimum reward difference of a pair; default 0, but never equal rewards")),
  least: decimal("-?").meta(said("minimum reward of a positive row; default: above the group's mean")),
  per_group: wholeNumber(1, "rollouts_per_group_max").optional().meta(said("maximum rows per group; default 1")),
  per_prompt: wholeNumber(1, "rollouts_per_group_max")
    .optional()
    .meta(said("maximum rows per prompt over all its groups, oldest first; default: no limit")),
  form: z
    .enum(["messages", "text"])
    .optional()
    .meta(said("format of prompts and answers; default `messages`; `text` omits chats and agent runs")),
});
export type TrainingQuery = z.output<typeof TrainingQuerySchema>;

/** The query parameters that each table accepts; others are rejected. */
export const TAKES: Readonly<Record<TrainingTable, readonly (keyof TrainingQuery)[]>> = {
  pairs: ["margin", "per_group", "per_prompt", "form"],
  positives: ["least", "per_group", "per_prompt", "form"],
};

/** A logged group with its prompt and answers; `prompt` is null if it was not logged. */
interface LoggedPrompt {
  row: GroupRow;
  prompt: string | null;
  answers: LoggedAnswer[];
}

/** Whether one group id sorts before another, by request id and then by group index. */
function isBefore(groupId: string, other: string): boolean {
  const [[request = "", place], [otherRequest = "", otherPlace]] = [groupId.split("."), other.split(".")];
  return request === otherRequest ? Number(place) < Number(otherPlace) : request < otherRequest;
}

const isRight = (label: number | null): boolean | null => (label === null ? null : label === 1);

/**
 * Merges groups with the stored prompts and answers, all sorted oldest first. A group may have none of them.
 * Those of groups that were stored after the groups had been read are skipped.
 */
async function* logged(runLog: RunLog, run: RunKey): AsyncGenerator<LoggedPrompt> {
  const texts = runLog.exportRows(run, "texts")[Symbol.asyncIterator]();
  let next = await texts.next();
  try {
    for await (const row of runLog.exportRows(run, "groups") as AsyncIterable<GroupRow>) {
      const textsByRollout = new Map<number | null, string>();
      while (!next.done && isBefore((next.value as StoredText).group_id, row.id)) next = await texts.next();
      for (; !next.done && (next.value as StoredText).group_id === row.id; next = await texts.next()) {
        const { rollout_index, text } = next.value as StoredText;
        textsByRollout.set(rollout_index, text);
      }
      const answers = row.result.rollouts.map(
        ({ reward, duplicate_of }, r): LoggedAnswer => ({
          reward,
          isDuplicate: duplicate_of !== null,
          right: row.kind === "verdicts" ? isRight(row.pass_rates[r] ?? null) : null,
          text: textsByRollout.get(r) ?? null,
          isRun: row.turns?.[r] != null,
        }),
      );
      yield { row, prompt: textsByRollout.get(null) ?? null, answers };
    }
  } finally {
    await texts.return?.();
  }
}

/**
 * Yields one row per pair (`prompt`, `chosen`, `rejected` and both scores) or per positive answer (`prompt`,
 * `completion`, `score`). Returns the number of omitted groups by reason.
 */
export async function* trainingRows(runLog: RunLog, run: RunKey, table: TrainingTable, query: TrainingQuery) {
  const { per_group: wanted = 1, per_prompt, form = "messages" } = query;
  const margin = Number(query.margin ?? 0);
  const minReward = query.least === undefined ? null : Number(query.least);
  const left_out = { without_texts: 0, no_single_text: 0, ...(per_prompt !== undefined && { prompts_beyond: 0 }) };
  const room = new PromptRoom(per_prompt);
  for await (const { row, prompt, answers } of logged(runLog, run)) {
    if (prompt === null) {
      left_out.without_texts++;
      continue;
    }
    if (form === "text" && (isChatPrompt(prompt) || answers.some(({ isRun }) => isRun))) {
      left_out.no_single_text++;
      continue;
    }
    const ofPrompt = room.allowanceFor(row.prompt_hash, wanted);
    if (ofPrompt === null) {
      left_out.prompts_beyond = (left_out.prompts_beyond ?? 0) + 1;
      continue;
    }
    const source = { group_id: row.id, run_id: row.run_id, step: row.step };
    const asked = form === "text" ? prompt : promptMessages(prompt);
    const said = (answer: { text: string; isRun: boolean }) => (form === "text" ? answer.text : answerMessages(answer));
    const per_group = ofPrompt.left;
    const rows =
      table === "positives"
        ? positivesOf(answers, { minReward, per_group }).map((answer) => ({
            completion: said(answer),
            score: answer.reward,
          }))
        : pairsOf(answers, { margin, per_group }).map(({ chosen, rejected }) => {
            const scores = { score_chosen: chosen.reward, score_rejected: rejected.reward };
            return { chosen: said(chosen), rejected: said(rejected), ...scores };
          });
    ofPrompt.take(rows.length);
    for (const fields of rows) yield { prompt: asked, ...fields, ...source };
  }
  return { left_out };
}
