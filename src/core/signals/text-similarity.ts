// Owns the kind `text_similarity`: how alike two texts made of the sample and the dataset's row
// are, as OpenAI's grader of that name, by the measures that have a published formula.
import * as z from "zod";
import { type Valued, valued } from "../asking/signal-value.ts";
import { LIMITS } from "../faults/limits.ts";
import { bleu, editRatio, gleu, rougeL, rougeN } from "../text/text-similarity.ts";
import { TemplateSchema } from "./sample-template.ts";
import { comparing, type TextWork } from "./text-comparison.ts";
import { UnreadableSchema } from "./unreadable.ts";

type Units = readonly string[];

interface Metric {
  units(text: string): Units;
  of(input: Units, reference: Units): number;
  /** Most units of a text that is compared. */
  max: number;
  work: TextWork;
}

const words = (text: string): Units => text.split(/\s+/u).filter((word) => word !== "");
/** As the package rouge-score takes words without a stemmer: a to z and digits, in lower case. */
const plainWords = (text: string): Units => text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
const characters = (text: string): Units => [...text];

/** Where time grows with the product of both lengths, and where with the length alone. */
const { similarity_units_max: paired, similarity_words_max: counted } = LIMITS;

/** Of each word a few n-grams; of each char a step in 32 of the other text's. */
const PAIRED = { max: paired, work: { sample: 192, row: (other: number) => Math.max(6, (other * 3) / 16) } };
const COUNTED = { max: counted, work: { sample: 96, row: () => 96 } };
/** Four lengths of n-grams in place of one. */
const COUNTED_ALL = { max: counted, work: { sample: 96, row: () => 288 } };

const rouge = (n: number): Metric => ({ units: plainWords, of: (a, b) => rougeN(a, b, n), ...COUNTED });

/** Of OpenAI's, `cosine` needs an embedding model and `meteor` WordNet. */
const METRICS = {
  fuzzy_match: { units: characters, of: editRatio, ...PAIRED },
  bleu: { units: words, of: bleu, ...COUNTED_ALL },
  gleu: { units: words, of: gleu, ...COUNTED_ALL },
  rouge_1: rouge(1),
  rouge_2: rouge(2),
  rouge_3: rouge(3),
  rouge_4: rouge(4),
  rouge_5: rouge(5),
  rouge_l: { units: plainWords, of: rougeL, max: paired, work: { ...PAIRED.work, unit: 4 } },
} as const satisfies Readonly<Record<string, Metric>>;
type SimilarityName = keyof typeof METRICS;

const SCHEMA = z.strictObject({
  input: TemplateSchema,
  reference: TemplateSchema,
  unreadable: UnreadableSchema,
  evaluation_metric: z.enum(Object.keys(METRICS) as [SimilarityName, ...SimilarityName[]]),
});
export type TextSimilaritySettings = z.output<typeof SCHEMA>;

/** Either side may be the same for all samples of a group: its units are those of the comparison before. */
function similarity(metric: Metric) {
  const unitsOf = () => {
    let last: { text: string; units: Units } | null = null;
    return (text: string): Units => {
      if (last?.text !== text) last = { text, units: metric.units(text) };
      return last.units;
    };
  };
  const [inputUnits, referenceUnits] = [unitsOf(), unitsOf()];
  return (input: string, reference: string): Valued | null => {
    const [a, b] = [inputUnits(input), referenceUnits(reference)];
    return Math.max(a.length, b.length) > metric.max ? null : valued(metric.of(a, b));
  };
}

export const textSimilarity = comparing(
  "text_similarity",
  SCHEMA,
  ({ evaluation_metric }: TextSimilaritySettings) => similarity(METRICS[evaluation_metric]),
  ({ evaluation_metric }) => METRICS[evaluation_metric].work,
);
