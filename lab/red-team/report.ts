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

const HEAD = `| class | attack | tried | succeeded | effect on the reward, mean | maximum | rewards raised | attacker null | neighbours hurt |
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
      ? "This verifier always gives the same verdicts to the same programs. An attack succeeded if its text reached a prompt unescaped, or if the attacker's reward is higher than that of its program without the attack."
      : "This verifier's verdicts have noise, drawn anew for every text. An attack succeeded if its text reached a prompt unescaped; the rewards include the noise.",
    `${HEAD}\n${rows("kritai").join("\n")}`,
    ...(judged.length === 0 ? [] : [`Decided by the judge, without a goal:\n\n${HEAD}\n${judged.join("\n")}`]),
    through.length === 0
      ? "**No attack that Kritai can prevent succeeded.**"
      : `**${through.length} succeeded:**\n\n${through.join("\n")}`,
    ...(escaped + hurt > 0
      ? [
          `Attacks without a gain but with an effect: ${escaped} attackers got no reward instead of a loss, and ${hurt} groups lowered a neighbour's reward.`,
        ]
      : []),
  ].join("\n\n");
}

/** The page, as Markdown. @param how the command and where it ran */
export function redTeamPage(how: string, reports: readonly VerifierReport[]): string {
  return `# Red team

${how}

Each attack is one group: the attacker's rollout, whose program is wrong, and honest ones. The attacks are in \`lab/red-team/classes\`, one file per kind. "Effect" is the attacker's reward minus that of the
same program without the attack. "Attacker null": the attacker got no reward instead of a loss. "Neighbours hurt": an honest rollout got a lower reward than without the attack, or none.

${[...reports.map(section), foreignSection(foreignReports())].join("\n\n")}
`;
}
