"""Which share of the evidence the text of a result of limited size shows, on LoCoMo.

usage: python bench/budgets.py --data ../shared/data [--table o200k_base.tiktoken]

The shipped weights have not seen LoCoMo.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from tqdm import tqdm

from common import save, table
from datasets import locomo
from fusion import fill_case
from milepost.text.tokens import ceiling, exact_counter

BUDGETS = (100, 200, 385, 1000)


def main() -> None:
    """Ask every question within every budget."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--table", type=Path, help="tiktoken's o200k_base, to count exactly")
    options = parser.parse_args()
    count = (exact_counter(str(options.table.parent)) if options.table else None) or ceiling
    shares: dict[int, list[float]] = {budget: [] for budget in BUDGETS}
    used: dict[int, list[float]] = {budget: [] for budget in BUDGETS}
    over = 0
    for case in tqdm(locomo(options.data), unit="history"):
        memory, hashes = fill_case(case)
        for question in case.questions:
            evidence = {hashes[place][:8] for place in question.evidence}
            for budget in BUDGETS:
                result = memory.search(question.text, limit=50, budget=budget)
                shown = {found.hash[:8] for found in result.memories}
                tokens = count(str(result))
                over += tokens > budget
                shares[budget].append(len(evidence & shown) / len(evidence))
                used[budget].append(tokens / budget)
        memory.close()
    rows = [
        [budget, 100 * sum(found) / len(found), 100 * sum(used[budget]) / len(found)]
        for budget, found in shares.items()
    ]
    print(table(["tokens", "evidence shown %", "of the budget used %"], rows))
    print(f"results over their budget: {over}")
    figures = {str(budget): round(share, 1) for budget, share, _ in rows}
    save("budgets", {"evidence shown %": figures, "results over their budget": over})


if __name__ == "__main__":
    main()
