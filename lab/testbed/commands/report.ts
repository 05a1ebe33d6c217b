// `testbed report`: how alike and how long a set's programs are, who wrote them, and how good a pool's tests
// are. Changes nothing.
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../../../scripts/command-line/out-folder.ts";
import type { Table } from "../../report/page.ts";
import { markdownTable } from "../../report/parts.ts";
import { embed } from "../engines/embeddings.ts";
import { readAllJsonl } from "../format/jsonl.ts";
import { LISTS_FILE } from "../format/pool-format.ts";
import { type SetList, SetListSchema } from "../format/set-format.ts";
import { type Embedding, listFigures } from "../sets/list-report.ts";
import { type Pool, readPool } from "../sets/pool.ts";
import { samplersOf } from "../sets/samplers.ts";
import { type Suite, suiteFigures, suitesOf } from "../sets/suites.ts";
import { type Command, readOptions, UsageError } from "./command.ts";

const HELP = `  DIR                    a set: similarity and length of its programs; or a measured and mutated pool: quality of its tests
  --embeddings URL       a server with /v1/embeddings, to add cosine similarity; its key is read from EMBEDDINGS_API_KEY
  --embeddings-model M   the embedding model
  --out DIR              also write report.json and report.md

Examples
  npm run lab -- testbed report sets/small
  npm run lab -- testbed report pools/quixbugs
  npm run lab -- testbed report sets/small --embeddings http://127.0.0.1:8000 --embeddings-model my-embedder`;

const SPECS = {
  embeddings: { type: "string" },
  "embeddings-model": { type: "string" },
  out: { type: "string" },
} as const;
type Values = ReturnType<typeof readOptions<typeof SPECS>>["values"];

async function embeddingOf(lists: readonly SetList[], values: Values): Promise<Embedding | null> {
  const { embeddings: url, "embeddings-model": model } = values;
  if (url === undefined && model === undefined) return null;
  if (url === undefined || model === undefined)
    throw new UsageError("--embeddings and --embeddings-model must be given together");
  if (!URL.canParse(url)) throw new UsageError("--embeddings must be a URL");
  const codes = new Map(lists.flatMap(({ candidates }) => candidates.map((c) => [c.candidate_id, c.code])));
  const vectors = await embed([...codes.values()], { url, model, api_key: process.env.EMBEDDINGS_API_KEY || null });
  const byId = new Map([...codes.keys()].map((id, i) => [id, vectors[i] as number[]]));
  return (id) => byId.get(id) as number[];
}

const SURVIVORS_SHOWN = 20;
const round = (value: number) => Number(value.toFixed(3));

function suiteTables(suites: readonly Suite[]): Table[] {
  const { problems, mutants, killed, tpr, tnr, reject_all } = suiteFigures(suites);
  const survivors = suites.flatMap((suite) => suite.survivors.map((survivor) => ({ suite, survivor })));
  return [
    {
      caption: "Quality of the tests",
      columns: ["figure", "value"],
      rows: [
        ["problems", problems],
        ["tests per problem, minimum", Math.min(...suites.map(({ tests }) => tests))],
        ["mutants", mutants],
        ["share of mutants killed by a test", killed],
        ["share of programs declared right that pass (TPR), mean", tpr],
        ["share of programs declared wrong that fail (TNR), mean", tnr],
        ["share of problems whose tests reject all programs declared wrong", reject_all],
      ],
    },
    ...(survivors.length === 0
      ? []
      : [
          {
            caption: `Surviving mutants: ${survivors.length}. Each is equivalent to its original, or a test is missing`,
            columns: ["problem", "tests", "mutant", "mistake"],
            rows: survivors
              .slice(0, SURVIVORS_SHOWN)
              .map(({ suite, survivor }) => [suite.problem_id, suite.tests, survivor.candidate_id, survivor.mutation]),
          },
        ]),
  ];
}

function listTable(figures: ReturnType<typeof listFigures>): Table {
  return {
    caption: "Similarity and length of the programs in a list (means over lists)",
    columns: [
      "split",
      "bucket",
      "lists",
      "token similarity",
      "similarity of right to wrong",
      "cosine",
      "characters, right",
      "wrong",
    ],
    rows: figures.map((row) => [
      row.split,
      row.bucket,
      row.lists,
      round(row.token_similarity),
      round(row.right_to_wrong),
      row.cosine === null ? null : round(row.cosine),
      Math.round(row.characters_right),
      Math.round(row.characters_wrong),
    ]),
  };
}

function samplerTable({ candidates }: Pool): Table {
  return {
    caption: "Sources of the candidates",
    columns: ["generator", "model", "temperature", "candidates"],
    rows: samplersOf(candidates).map((row) => [row.generator, row.model, row.temperature, row.candidates]),
  };
}

export const reportCommand: Command = {
  summary: "report similarity, length and sources of a set's programs, or the quality of a pool's tests",
  help: HELP,
  async run(args) {
    const { values, positionals } = readOptions(args, SPECS);
    const [folder] = positionals;
    if (folder === undefined) throw new UsageError("name the set or pool: report DIR");
    if (values.out !== undefined) makeFolder("--out", values.out, ["report.json", "report.md"]);
    const pool = await readPool(folder);
    const path = join(folder, LISTS_FILE);
    const lists = existsSync(path) ? await readAllJsonl(path, SetListSchema) : [];
    const figures = lists.length === 0 ? [] : listFigures(lists, await embeddingOf(lists, values));
    // A set keeps only those programs that its tests distinguish.
    const suites = lists.length === 0 ? suitesOf(pool) : [];
    const mainTables = lists.length === 0 ? suiteTables(suites) : [listTable(figures)];
    const tables = [...mainTables, samplerTable(pool)];
    const text = tables.map((table) => `${table.caption}:\n\n${markdownTable(table)}\n`).join("\n");
    console.log(text);
    if (values.out === undefined) return 0;
    const survivors = suites.flatMap(({ survivors: suiteSurvivors }) =>
      suiteSurvivors.map(({ candidate_id }) => candidate_id),
    );
    const reportFields = { format: "kritai-set-report/1", lists: figures, samplers: samplersOf(pool.candidates) };
    const all = {
      ...reportFields,
      embeddings_model: values["embeddings-model"] ?? null,
      tests: lists.length === 0 ? suiteFigures(suites) : null,
      survivors,
    };
    writeFileSync(join(values.out, "report.json"), `${JSON.stringify(all, null, 2)}\n`);
    writeFileSync(join(values.out, "report.md"), `# Report of ${folder}\n\n${text}`);
    return 0;
  },
};
