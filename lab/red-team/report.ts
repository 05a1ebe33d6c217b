// The red team's report: a table a verifier, and every attack that got through by name.
import type { ClassReport } from "./campaign.ts";
import { foreignReports, foreignSection } from "./foreign-formats.ts";

export interface VerifierReport {
  verifier: string;
  /** Whether a changed reward is the attack's. */
  exact: boolean;
  classes: readonly ClassReport[];
}

const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;

function row({ attackClass, outcomes }: ClassReport): string {
  const effects = outcomes.flatMap(({ effect }) => (effect === null ? [] : [effect]));
  const count = (is: (outcome: ClassReport["outcomes"][number]) => boolean) => outcomes.filter(is).length;
  const raised = effects.filter((effect) => effect > 0).length;
  const cells = [
    attackClass.name,
    attackClass.description,
    outcomes.length,
    count(({ through }) => through),
    effects.length === 0 ? "-" : mean(effects).toFixed(3),
    effects.length === 0 ? "-" : Math.max(...effects).toFixed(2),
    raised,
    count(({ escaped }) => escaped),
    count(({ hurt }) => hurt),
  ];
  return `| ${cells.join(" | ")} |`;
}

const HEAD = `| class | what it tries | tried | got through | effect on the reward, mean | highest | rewards raised | attacker null | neighbours hurt |
|---|---|---|---|---|---|---|---|---|`;

function section({ verifier, exact, classes }: VerifierReport): string {
  const rows = (decider: string) => classes.filter(({ attackClass }) => attackClass.decided_by === decider).map(row);
  const through = classes.flatMap(({ attackClass, outcomes }) =>
    attackClass.decided_by === "kritai"
      ? outcomes.filter((outcome) => outcome.through).map((outcome) => `- ${attackClass.name}: ${outcome.attack}`)
      : [],
  );
  const judged = rows("judge");
  const all = classes.flatMap(({ outcomes }) => outcomes);
  const [escaped, hurt] = [
    all.filter((outcome) => outcome.escaped).length,
    all.filter((outcome) => outcome.hurt).length,
  ];
  return [
    `## ${verifier}`,
    exact
      ? "The same programs always get the same verdicts here: an attack got through when something stood raw in a prompt, or when the attacker was paid more than its program without the attack."
      : "Verdicts have noise here, drawn anew for every text: an attack got through when something stood raw in a prompt; the rewards show the noise as well.",
    `${HEAD}\n${rows("kritai").join("\n")}`,
    ...(judged.length === 0 ? [] : [`Decided by the judge, and no goal:\n\n${HEAD}\n${judged.join("\n")}`]),
    through.length === 0
      ? "**Of what Kritai decides, nothing got through.**"
      : `**${through.length} got through:**\n\n${through.join("\n")}`,
    ...(escaped + hurt > 0
      ? [
          `Not paid, but not without effect: ${escaped} attackers had no reward where they would have lost, and ${hurt} groups cost a neighbour.`,
        ]
      : []),
  ].join("\n\n");
}

/** The page, as Markdown. @param how the command and where it ran */
export function redTeamPage(how: string, reports: readonly VerifierReport[]): string {
  return `# Red team

${how}

Each attack is one group: the attacker's rollout, whose program is wrong, beside honest ones. \`lab/red-team/classes\` holds the attacks, a file a kind. "Effect" is the attacker's reward less what the
same program gets without the attack. "Attacker null": it has no reward where it would have lost. "Neighbours hurt": an honest rollout is paid less than beside the clean program, or not at all.

${[...reports.map(section), foreignSection(foreignReports())].join("\n\n")}
`;
}
