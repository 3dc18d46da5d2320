"""A dataset of thirty contexts in two subsets, and answers that are right in some of them."""

CONTEXTS = 30


def contexts(number=CONTEXTS):
    """Contexts of three candidates; people prefer a to b to c."""
    scores = {"a": 3, "b": 2, "c": 1}
    return [
        {
            "context": f"c{number}",
            "text": "Text",
            "subset": "even" if number % 2 == 0 else "odd",
            "candidates": [{"candidate": key, "text": key, "scores": {"overall": scores[key]}} for key in "abc"],
        }
        for number in range(number)
    ]


def right_in(number_right):
    """Answers that are right in the first contexts and wrong in the others."""
    return wrong_in(range(number_right, CONTEXTS))


def wrong_in(numbers):
    """Answers that are wrong in these contexts and right in the others."""
    lines = ["context,attribute,first,second,p_first"]
    for number in range(CONTEXTS):
        p = 0.2 if number in numbers else 0.9
        lines += [f"c{number},overall,a,b,{p}", f"c{number},overall,c,a,{1 - p:.1f}", f"c{number},overall,b,c,{p}"]
    return "\n".join(lines) + "\n"
