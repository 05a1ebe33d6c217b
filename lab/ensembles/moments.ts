// Owns what a fit of judges needs to know of a run: sums of products of their values within groups,
// by blocks of groups. Holds sums alone, however long the run.

/** Blocks of the jackknife. */
const BLOCKS = 20;

interface Block {
  /** By pair of judges: the sum of products of deviations from the group's means. */
  products: Float64Array;
  /** Rollouts less one a group. */
  freedom: number;
}

export class AgreementMoments {
  readonly names: readonly string[];
  /** Of groups that had two rollouts with every value, and their rollouts. */
  groups = 0;
  rollouts = 0;
  /** By judge: rollouts without a value. */
  readonly nulls: number[];
  private blocks: Block[];

  constructor(names: readonly string[]) {
    this.names = names;
    this.nulls = names.map(() => 0);
    this.blocks = Array.from({ length: BLOCKS }, () => ({
      products: new Float64Array(names.length ** 2),
      freedom: 0,
    }));
  }

  /** Takes a group's values, one list a judge. */
  add(columns: readonly (readonly (number | null)[])[]): void {
    for (const [i, column] of columns.entries()) {
      this.nulls[i] = (this.nulls[i] as number) + column.filter((value) => value === null).length;
    }
    const size = columns[0]?.length ?? 0;
    const whole = Array.from({ length: size }, (_, r) => r).filter((r) =>
      columns.every((column) => column[r] !== null),
    );
    if (whole.length < 2) return;
    const block = this.blocks[this.groups % BLOCKS] as Block;
    this.groups++;
    this.rollouts += whole.length;
    block.freedom += whole.length - 1;
    const deviations = columns.map((column) => {
      const values = whole.map((r) => column[r] as number);
      const centre = values.reduce((a, b) => a + b, 0) / values.length;
      return values.map((value) => value - centre);
    });
    const n = this.names.length;
    for (const [i, own] of deviations.entries()) {
      for (const [j, other] of deviations.entries()) {
        const product = own.reduce((sum, value, r) => sum + value * (other[r] as number), 0);
        block.products[i * n + j] = (block.products[i * n + j] as number) + product;
      }
    }
  }

  /** Standard deviation within groups. */
  std(i: number): number {
    const freedom = this.blocks.reduce((sum, block) => sum + block.freedom, 0);
    return freedom === 0 ? 0 : Math.sqrt(this.covered(i, i) / freedom);
  }

  /** Correlations within groups of some judges that have a spread. */
  correlations(of: readonly number[]): number[][] {
    return of.map((i) =>
      of.map((j) => {
        const product = this.covered(i, i) * this.covered(j, j);
        const scale = Number.isFinite(product)
          ? Math.sqrt(product)
          : Math.sqrt(this.covered(i, i)) * Math.sqrt(this.covered(j, j));
        return i === j ? 1 : scale === 0 ? 0 : this.covered(i, j) / scale;
      }),
    );
  }

  /** Mean correlation with the others that have a spread; null without one. */
  agreement(i: number, among: readonly number[]): number | null {
    const others = among.filter((j) => j !== i);
    if (!among.includes(i) || others.length === 0) return null;
    const [row] = this.correlations([i, ...others]);
    return (row as number[]).slice(1).reduce((a, b) => a + b, 0) / others.length;
  }

  /** The same moments with one block left out each. */
  withoutEach(): AgreementMoments[] {
    return this.blocks.map((_, left) => {
      const part = new AgreementMoments(this.names);
      part.blocks = this.blocks.filter((__, b) => b !== left);
      return part;
    });
  }

  private covered(i: number, j: number): number {
    const at = i * this.names.length + j;
    return this.blocks.reduce((sum, { products }) => sum + (products[at] as number), 0);
  }
}
