"""Best-of-N with Cohere's own SDK, unchanged but for its base URL.

    npm ci && npm start                                     # in the repository: http://127.0.0.1:8787
    pip install cohere
    python examples/best_of_n.py

The spec `default` judges programs. For other texts start Kritai with your verifier, as in
examples/own_judge.sh; the call stays the same.
"""

import argparse
import os
import sys

import cohere
import httpx
from cohere.core.api_error import ApiError

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
    try:
        ranked = client.rerank(model="default", query=PROBLEM, documents=CANDIDATES)
    except httpx.HTTPError as error:
        sys.exit(f"{options.url}: {error}")
    except ApiError as error:
        reason = error.body.get("message") if isinstance(error.body, dict) else error.body
        sys.exit(f"{options.url}: {error.status_code}: {reason}")
    if not ranked.results:
        sys.exit(f"{options.url}: the reply has no ranking; is this the address of Kritai?")
    for warning in (ranked.meta and ranked.meta.warnings) or []:
        print(f"warning: {warning}", file=sys.stderr)
    for result in ranked.results:
        print(f"{result.relevance_score:.2f}  {CANDIDATES[result.index].splitlines()[1]}")
    print(f"best: candidate {ranked.results[0].index}")


if __name__ == "__main__":
    main()
