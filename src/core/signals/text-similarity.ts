// Owns the kind `text_similarity`: how alike two texts made of the sample and the dataset's row
// are, as OpenAI's grader of that name, by the measures that have a published formula.
import * as z from "zod";
import { LIMITS } from "../faults/limits.ts";
import { bleu, editRatio, gleu, rougeL, rougeN } from "../math/text-similarity.ts";
import { comparing } from "./comparing-texts.ts";
import { TemplateSchema } from "./sample-template.ts";
import { type Valued, valued, without } from "./signal-value.ts";

type Units = readonly string[];

interface Metric {
  units(text: string): Units;
  of(input: Units, reference: Units): number;
  /** Most units of a text that is compared. */
  max: number;
}

const words = (text: string): Units => text.split(/\s+/u).filter((word) => word !== "");
/** As the package rouge-score takes words without a stemmer: a to z and digits, in lower case. */
const plainWords = (text: string): Units => text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
const characters = (text: string): Units => [...text];

/** Where time grows with the product of both lengths, and where with the length alone. */
const { similarity_units_max: paired, similarity_words_max: counted } = LIMITS;

const rouge = (n: number): Metric => ({ units: plainWords, of: (a, b) => rougeN(a, b, n), max: counted });

/** Of OpenAI's, `cosine` needs an embedding model and `meteor` WordNet. */
const METRICS = {
  fuzzy_match: { units: characters, of: editRatio, max: paired },
  bleu: { units: words, of: bleu, max: counted },
  gleu: { units: words, of: gleu, max: counted },
  rouge_1: rouge(1),
  rouge_2: rouge(2),
  rouge_3: rouge(3),
  rouge_4: rouge(4),
  rouge_5: rouge(5),
  rouge_l: { units: plainWords, of: rougeL, max: paired },
} as const satisfies Readonly<Record<string, Metric>>;
type MetricName = keyof typeof METRICS;

const SCHEMA = z.strictObject({
  input: TemplateSchema,
  reference: TemplateSchema,
  evaluation_metric: z.enum(Object.keys(METRICS) as [MetricName, ...MetricName[]]),
});
export type TextSimilaritySettings = z.output<typeof SCHEMA>;

function similarity(metric: Metric, input: string, reference: string): Valued {
  const [a, b] = [metric.units(input), metric.units(reference)];
  if (Math.max(a.length, b.length) > metric.max) return without("text_too_long");
  return valued(metric.of(a, b));
}

export const textSimilarity = comparing(
  "text_similarity",
  SCHEMA,
  ({ evaluation_metric }: TextSimilaritySettings, input, reference) =>
    similarity(METRICS[evaluation_metric], input, reference),
);
