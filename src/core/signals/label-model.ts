// Owns the kind `label_model`: a verifier asked in the spec's own messages for one of the spec's
// own labels, as OpenAI's grader of that name.

import * as z from "zod";
import { said } from "#said";
import type { Signal } from "../asking/signal.ts";
import { distinct } from "../contract/distinct.ts";
import { someOf, someText } from "../faults/bounded.ts";
import { bound } from "../faults/limit-advice.ts";
import { inOwnMessages, MessagesSchema, modelPlan, OwnJudgeSchema } from "./model-question.ts";
import { UnreadableSchema } from "./unreadable.ts";

const LabelSchema = someText("id_chars");

const SCHEMA = z.strictObject({
  input: MessagesSchema,
  labels: distinct(
    z
      .array(LabelSchema)
      .min(2)
      .max(...bound("verdict_candidates_max")),
  ),
  passing_labels: someOf(LabelSchema, "verdict_candidates_max").meta(said("labels that count 1, all others 0")),
  judge: OwnJudgeSchema,
  unreadable: UnreadableSchema,
});
type LabelModelSettings = z.output<typeof SCHEMA>;

const KIND = "label_model";
const letterOf = (place: number) => String.fromCharCode(65 + place);

export const labelModel: Signal<LabelModelSettings> = {
  kind: KIND,
  schema: SCHEMA,
  ...inOwnMessages(KIND),
  fault({ labels, passing_labels }) {
    const strange = passing_labels.find((label) => !labels.includes(label));
    return strange === undefined ? null : { path: ["passing_labels"], message: `${strange} is none of labels` };
  },
  range: () => [0, 1],
  open(group, { input, labels, passing_labels, judge, unreadable }, { room }) {
    // The answer is a letter: a label may be any text.
    const scale = labels.map((label, place) => `${letterOf(place)}: ${label}`).join("\n");
    const places = new Map(labels.map((label, place) => [letterOf(place), label]));
    return modelPlan(
      group,
      {
        ...{ kind: KIND, input, samples: judge.samples, scale, lowest: 0, unreadable },
        read(verdict) {
          const label = verdict.kind === "label" ? places.get(verdict.label) : undefined;
          return label === undefined ? null : passing_labels.includes(label) ? 1 : 0;
        },
      },
      room,
    );
  },
};
