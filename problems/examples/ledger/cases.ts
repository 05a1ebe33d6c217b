// The tests of ledger: the shown inputs and the hidden ones. Outputs come from the reference.
import type { Draw } from "../../../lab/problems/draw.ts";

export const samples: string[] = [
  "rent -850.00\nsalary 2,400\n# bonus is not paid yet\nrent -20.5\n",
  "tea 3.20\ntea -3.20\n",
];

const NAMES = ["oats", "lamp oil", "rope", "new well", "school roof", "rye"] as const;

function randomLedger(draw: Draw, lines: number, amount: () => string): string {
  return draw
    .list(lines, () => {
      const kind = draw.int(1, 12);
      if (kind === 1) return "";
      return kind === 2 ? `# ${draw.pick(NAMES)} 5` : `${draw.pick(NAMES)}${" ".repeat(draw.int(1, 2))}${amount()}`;
    })
    .join("\n")
    .concat("\n");
}

export function hidden(draw: Draw): string[] {
  const small = () => `${draw.pick(["", "-", "+"])}${draw.int(0, 3)}.${draw.int(0, 9)}`;
  const cents = () => `${draw.pick(["", "-"])}${draw.int(0, 900)}.${draw.int(10, 99)}`;
  return [
    "",
    "\n\n",
    "# nothing happened\n",
    "rope 0\n",
    "rope -0.5\n",
    "rope -0.05\nrope 1\n",
    "rope 0.1\nrope 0.2\nrope -0.3\n",
    "oats 0.7\noats 0.1\noats -0.8\nrye 2\n",
    "lamp oil 12.5\n",
    "new well -3,000,000.75\nnew well 1,000\n",
    "red wine 1\nbread 2\nale 3\n",
    "rye 5\noats 1\nrye -5\nblack hay 4\n",
    "hay 9,999,999,999,999.99\nhay -0.98\n",
    "hay +7\n   \nhay    -3.25\n",
    "mill -1.5\nmill -2.25\nmill 3.75\nmill -0.01\n",
    "#5 6\nfir tree 4\n",
    randomLedger(draw, 8, () => String(draw.int(-50, 50))),
    randomLedger(draw, 12, small),
    randomLedger(draw, 30, cents),
    randomLedger(draw, 200, small),
  ];
}
