// `npm run lab -- red-team`: every attack against the verifiers named, or with --honest real texts through
// every preset, and the report. Exits 1 when an attack that Kritai decides got through, or an honest text did
// not come to the judge.
import { cpus } from "node:os";
import { basename, dirname } from "node:path";
import { commandFlags } from "../../scripts/command-line/flags.ts";
import { commit } from "../../scripts/stack/commit.ts";
import { writeFiles } from "../report/exports.ts";
import { askedOfChatModels } from "../templates/index.ts";
import { attackWith, type ClassReport } from "./campaign.ts";
import { CLASSES } from "./classes.ts";
import { honestPage, honestReport, refusedOf } from "./honest.ts";
import { pythonFolder, realTexts } from "./real-texts.ts";
import { redTeamPage, type VerifierReport } from "./report.ts";
import { startTarget } from "./targets.ts";

const { verifier, model, only, out, honest, texts } = commandFlags({
  command: "red-team",
  call: "npm run lab -- red-team",
  description:
    "Attacks the reward: rollouts that try to get more than their program deserves. VERIFIER_API_KEY is sent to a verifier's URL.",
  numbers: {
    honest: {
      ...{ value: 0, min: 0, max: 1_000_000, whole: true },
      help: "instead of attacks, send this many real programs and answers through every preset",
    },
  },
  texts: {
    verifier: { value: "gullible,simulator,cpu", help: "gullible, simulator, cpu or a URL; comma-separated" },
    model: { value: "default", help: "the model's name, for a URL" },
    only: { value: "", help: "only attack classes (or presets) whose name contains this" },
    texts: { value: "", help: "comma-separated folders of honest texts; default: sets, packages, Python's library" },
    out: { value: "dist/red-team.md", file: true, help: "the report's file" },
  },
});

const at = `at ${commit()}, ${new Date().toISOString()}, on ${cpus().length} cores of ${cpus()[0]?.model ?? "an unknown processor"}.`;
const flags = only === "" ? "" : ` --only ${JSON.stringify(only)}`;
const page = honest > 0 ? honestTexts() : await attacks();
writeFiles(dirname(out), { [basename(out)]: page });
console.log(`wrote ${out}`);

function honestTexts(): string {
  const python = pythonFolder();
  const standard = ["sets", "problems", "node_modules", ...(python === null ? [] : [python])];
  const all = realTexts(texts === "" ? standard : texts.split(","), honest);
  const refused = refusedOf(all);
  for (const text of refused) console.log(`not a valid candidate: ${JSON.stringify(text.slice(0, 80))}`);
  const reports = askedOfChatModels()
    .filter((name) => name.includes(only))
    .map((name) => {
      const report = honestReport(name, all);
      const { unchanged, marked, written, others } = report;
      console.log(`${name}: ${unchanged} unchanged, ${marked + written} escaped, ${others.length} damaged`);
      for (const text of others.slice(0, 3)) console.log(`  ${JSON.stringify(text.slice(0, 200))}`);
      if (others.length > 0) process.exitCode = 1;
      return report;
    });
  if (refused.length > 0) process.exitCode = 1;
  return honestPage(
    `\`npm run lab -- red-team --honest ${honest}${flags}\` ${at}`,
    all.length,
    refused.length,
    reports,
  );
}

async function attacks(): Promise<string> {
  const reports: VerifierReport[] = [];
  for (const named of verifier.split(",")) {
    const target = await startTarget(named.trim(), model, process.env.VERIFIER_API_KEY ?? null);
    const classes: ClassReport[] = [];
    for (const attackClass of CLASSES.filter(({ name }) => name.includes(only))) {
      const report = await attackWith(attackClass, target);
      if (report === null) continue;
      classes.push(report);
      const through = report.outcomes.filter((outcome) => outcome.through).length;
      console.log(`${named}: ${attackClass.name}: ${report.outcomes.length} tried, ${through} through`);
      if (through > 0 && attackClass.decided_by === "kritai") process.exitCode = 1;
    }
    await target.close();
    reports.push({ verifier: target.title, exact: target.exact, classes });
  }
  return redTeamPage(`\`npm run lab -- red-team --verifier ${verifier}${flags}\` ${at}`, reports);
}
