"""Best-of-N with Cohere's own SDK, unchanged but for its base URL.

    npm ci && npm start                                     # in the repository: http://127.0.0.1:8787
    pip install cohere
    python examples/best_of_n.py

The spec `default` judges programs. For other texts start Kritai with your verifier, as in
examples/own_judge.sh; the call stays the same.
"""

import argparse
import os

import cohere

PROBLEM = """Read n and print n doubled.

Sample Input 1
```
4
```
Sample Output 1
```
8
```"""
CANDIDATES = [f"```python\nprint(int(input()) {how})\n```" for how in ("+ 2", "* 2", "- 1", "** 2")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", default="http://127.0.0.1:8787", help="Kritai")
    options = parser.parse_args()

    # Without keys the local stack takes any; a deployment checks it.
    client = cohere.ClientV2(os.environ.get("KRITAI_API_KEY", "none"), base_url=options.url)
    ranked = client.rerank(model="default", query=PROBLEM, documents=CANDIDATES)
    for result in ranked.results:
        print(f"{result.relevance_score:.2f}  {CANDIDATES[result.index].splitlines()[1]}")
    print(f"best: candidate {ranked.results[0].index}")


if __name__ == "__main__":
    main()
