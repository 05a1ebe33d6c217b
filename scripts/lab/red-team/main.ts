// Owns `npm run red-team`: every attack against the verifiers named, and the report. Exits 1 when
// one that Kritai decides got through.
import { cpus } from "node:os";
import { basename, dirname } from "node:path";
import { commit } from "../../stack/commit.ts";
import { commandFlags } from "../flags.ts";
import { writeFiles } from "../report/exports.ts";
import { attackWith, type ClassReport } from "./campaign.ts";
import { CLASSES } from "./classes.ts";
import { redTeamPage, type VerifierReport } from "./report.ts";
import { startTarget } from "./targets.ts";

const { verifier, model, only, out } = commandFlags({
  command: "red-team",
  about: "Rollouts that try to be paid more than their program deserves. VERIFIER_API_KEY is sent to a verifier's URL.",
  numbers: {},
  texts: {
    verifier: { value: "gullible,simulator,cpu", help: "gullible, simulator, cpu or a URL; several with commas" },
    model: { value: "default", help: "the model's name at a URL" },
    only: { value: "", help: "only classes whose name has this in it" },
    out: { value: "dist/red-team.md", file: true, help: "where the report goes" },
  },
});

const reports: VerifierReport[] = [];
for (const named of verifier.split(",")) {
  const target = await startTarget(named.trim(), model, process.env.VERIFIER_API_KEY ?? null);
  const classes: ClassReport[] = [];
  for (const of of CLASSES.filter(({ name }) => name.includes(only))) {
    const report = await attackWith(of, target);
    if (report === null) continue;
    classes.push(report);
    const through = report.outcomes.filter((outcome) => outcome.through).length;
    console.log(`${named}: ${of.name}: ${report.outcomes.length} tried, ${through} through`);
    if (through > 0 && of.decided_by === "kritai") process.exitCode = 1;
  }
  await target.close();
  reports.push({ verifier: target.title, exact: target.exact, classes });
}
const flags = only === "" ? "" : ` --only ${JSON.stringify(only)}`;
const how = `\`npm run red-team -- --verifier ${verifier}${flags}\` at ${commit()}, ${new Date().toISOString()}, on ${cpus().length} cores of ${cpus()[0]?.model ?? "an unknown processor"}.`;
writeFiles(dirname(out), { [basename(out)]: redTeamPage(how, reports) });
console.log(`wrote ${out}`);
