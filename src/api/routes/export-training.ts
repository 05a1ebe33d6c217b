// The rows of a run that a policy is trained on, in the columns of TRL's datasets: out of its groups and its
// texts, read side by side.
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

/** A reward, or how far two lie apart, as a query parameter: a number's text. */
const decimal = (sign: string) =>
  z
    .string()
    .regex(new RegExp(`^${sign}[0-9]{1,15}(?:\\.[0-9]{1,20})?(?:e-?[0-9]{1,2})?$`), "must be a number, as 0.25")
    .optional();

/** How many rows, and of which answers. */
export const TrainingQuerySchema = z.object({
  margin: decimal("").meta(said("of pairs: how far their rewards lie apart at least; default 0, and never equal ones")),
  least: decimal("-?").meta(said("of positives: the least reward; default: above the group's mean")),
  per_group: wholeNumber(1, "rollouts_per_group_max").optional().meta(said("rows of a group at most; default 1")),
  per_prompt: wholeNumber(1, "rollouts_per_group_max")
    .optional()
    .meta(said("rows of a prompt at most, over all groups that have it, the oldest first; default: no bound")),
  form: z
    .enum(["messages", "text"])
    .optional()
    .meta(said("of prompts and answers; default messages, text leaves out chats and agents' runs")),
});
export type TrainingQuery = z.output<typeof TrainingQuerySchema>;

/** Which parameters are of which table; the others are refused with it. */
export const TAKES: Readonly<Record<TrainingTable, readonly (keyof TrainingQuery)[]>> = {
  pairs: ["margin", "per_group", "per_prompt", "form"],
  positives: ["least", "per_group", "per_prompt", "form"],
};

/** A group with its texts: null where the prompt was not logged. */
interface LoggedPrompt {
  row: GroupRow;
  prompt: string | null;
  answers: LoggedAnswer[];
}

/** Whether one group's rows stand before another's: by request, then by place. */
function isBefore(groupId: string, other: string): boolean {
  const [[request = "", place], [otherRequest = "", otherPlace]] = [groupId.split("."), other.split(".")];
  return request === otherRequest ? Number(place) < Number(otherPlace) : request < otherRequest;
}

const isRight = (label: number | null): boolean | null => (label === null ? null : label === 1);

/**
 * Groups and texts are each oldest first; a group without texts has none of the second, and one that
 * was stored while the first were read none of the first.
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
 * A row for each pair (`prompt`, `chosen`, `rejected` and both scores) or positive (`prompt`, `completion`,
 * `score`). Returns how many groups gave none because their texts or a form were missing.
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
