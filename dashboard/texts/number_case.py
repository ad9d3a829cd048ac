"""The Case page of a number: what it says."""

from __future__ import annotations

LEAD = "Why does the model say this number, how sure is it, and from which cases?"
HOW_TO_READ = """
The answer is a **distribution**: how probable each number is. It is a sum of humps, one from each **prototype**: a real
case of the training rows.

- **The picture** stacks what the prototypes say, the most influential on top; grey is what all others and everybody
  say. The dashed line is the number that the table states, the thick line below holds the number with a probability of
  90 %,
  the circle on it is the median: half of the probability lies on either side.
- **Prototypes** come with their own number and with what tells this case from them: "in this case age 20 higher: +3.8".
  The sum is what the prototype says, give or take its spread. The first bar is its share of the answer, the second its
  similarity to the case. A star marks the fewest that hold the median, whichever of the others were taken away.
- **Similarity** of a prototype is that in the columns and weights of its own batch. Of a known case it is the mean of
  all batches, each as heavy as its prototypes, so that the same row may have two.
- **Familiarity** says how much the prototypes have to say about such a case. With little of it the answer falls back on
  what everybody says, the distribution of all training rows.
- **Values** beside those of leading prototypes and of the nearest known cases, which are training rows whether
  prototypes or not. *Unusual*: fewer than 5 % of the training rows have a value as far out, or a word as rare.
- **What if**: change a value and see what the model would say. It is a statement about the model, and not about what
  would happen to the case.
- **What moved it** divides the difference between the answers for a row to compare with and for this case among the
  columns; the parts add up exactly.
- Of rows that the model has not seen, one in ten should lie outside its interval of 90 %: outside is not wrong.
"""
NO_PROTOTYPES = "The model has no prototypes: it says of every case what it says of everybody."
NEAREST_NOTE = (
    "Training rows, whether prototypes or not, with their own numbers; similarity from 0 to 1, as the model measures "
    "it{mean}. Tick one to open it."
)
BY_BATCH = " in the prototype's own batch"
STAR = "Among the fewest that hold the median, whichever of the others were taken away."
START = "Pick a row of the list, or find any by its number."
MOVES_NOTE = (
    "One column at a time, within the values of the table; where there are very many, on a grid and then more finely. "
    "A change to a value that makes the case unfamiliar says little. It is a statement about the model: nobody knows "
    "whether the value could change so."
)
ANSWERS = {
    "median": "Median",
    "mean": "Mean",
    "lower": "Lower end",
    "upper": "Upper end",
    "above": "Chance above",
}
BEYOND = "More than"
BEYOND_SURE = "Parts are means over all orders, so that their sum may pass 0 or 100 % on the way."
