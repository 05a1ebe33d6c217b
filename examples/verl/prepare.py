"""Adds each row's question to verl's GSM8K files, because verl passes no prompt to reward functions.

    python examples/verl/prepare.py ~/data/gsm8k/train.parquet ~/data/gsm8k/test.parquet

Writes the files in place. Rows keep `reward_model.ground_truth` and `extra_info.split` as verl's own
script wrote them.
"""

import os
import sys

import pandas


def with_question(row: "pandas.Series") -> dict:
    """The row's `extra_info`, with the text of its last message as `question` where it has none."""
    extra = dict(row["extra_info"])
    extra.setdefault("question", row["prompt"][-1]["content"])
    return extra


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for path in sys.argv[1:]:
        if not os.path.isfile(path):
            sys.exit(f"{path}: no such file; verl's gsm8k.py writes it (examples/verl/README.md, step 2)")
        try:
            rows = pandas.read_parquet(path)
        except (OSError, ValueError) as error:
            sys.exit(f"{path}: not a parquet file ({error})")
        lacking = [name for name in ("prompt", "extra_info") if name not in rows]
        if lacking:
            sys.exit(
                f"{path}: no column {' and '.join(lacking)}; run verl's gsm8k.py first (examples/verl/README.md, step 2)"
            )
        rows["extra_info"] = rows.apply(with_question, axis=1)
        rows.to_parquet(path)
        print(f"{path}: {len(rows)} rows")


if __name__ == "__main__":
    main()
