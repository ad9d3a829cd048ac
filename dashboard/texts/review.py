"""The Review page: what it says."""

from __future__ import annotations

from dashboard.texts.common import PageText

PAGE = PageText(
    menu="Review",
    icon=":material/rule:",
    title="Review",
    lead="Who is right, the model or the table?",
    how_to_read="""
Cases that the model gets wrong come one after the other, with a few right ones between them, unmarked, so that the
result says something about all rows. You say who is right; the table itself is never changed.

- **Training rows** are judged by models that have not seen them: the rows are dealt into five parts, and each part is
  judged by a model that has learned from the four others. The model of the other pages has seen these rows, so its
  word on them would count for little; its estimate may differ from the one here.
- **Held-out rows**: half of them are listed. The other half is never put up for judgement, so that a later comparison
  is honest.
- **Verdicts**: 1 the table is right, 2 the model is right (the label is wrong), 3 another class, 4 both are possible,
  5 the row is faulty, 6 not decidable from these columns. Enter saves and goes on.
- **The table** shows the case beside typical cases, the nearest known cases of either class and the leading prototypes;
  each value has the tint of the class among whose known values it lies better.
- **Likely label errors first**: the model that has not seen the row, trees that have not seen it either, and the known
  cases nearest to it are asked how likely the class in the table is. It is no proof.
- **Blind** hides the estimate, the class in the table and that something is an error, and mixes the order.
- **All verdicts** are written down at once, with your name, the time and the model, and never overwritten: taking one
  back is one more line.
- **Several people** review the same table: everybody all cases, or in shares, where each case goes to one person and
  about one in five to two, so that agreement can be told. Shares are among those who have judged a case so far; who
  joins takes some open cases from everybody. What others said of a case shows once you have judged it yourself, not
  before, here and in the files of this page. A case on which people differ is **disputed** until somebody settles it.
- **Keys**: J and K (or the arrows) browse, judged cases as well; N writes a note, F flags the cell that the arrows have
  reached, U takes back, S sets aside, V is for pictures, M enlarges the map, H lists all keys.
""",
    help_key=False,
    number_lead="Which is right, the number in the table or what the model says?",
    number_how_to_read="""
Rows whose number lies outside the interval of 90 % come one after the other, rows whose number is likely wrong although
it lies within, and a few others between them, unmarked, so that the result says something about all rows. You say what
is right; the table itself is never changed. One in ten numbers should lie outside: outside is not wrong.

- **Training rows** are judged by models that have not seen them: the rows are dealt into five parts, and each part is
  judged by a model that has learned from the four others. Its answer may differ from that of the other pages.
- **Held-out rows**: half of them are listed. The other half is never put up for judgement.
- **Verdicts**: 1 the table is right, 2 the model is right (the row is learned with its median), 3 another number, 4
  both are possible, 5 the row is faulty (it is left out), 6 not decidable from these columns. Enter saves and goes on.
- **The picture** is the answer as a sum of what prototypes say; the dashed line is the number in the table, the thick
  line below holds the number with a probability of 90 %.
- **The table** shows the case beside the leading prototypes and the nearest known cases, each with its own number.
- **Likely wrong numbers first**: the model that has not seen the row, and the known cases nearest to it, both in the
  columns that the model uses and in all columns, are asked how likely the number is. It is no proof.
- **All verdicts** are written down at once, with your name, the time and the model, and never overwritten: taking one
  back is one more line.
- **Several people** review the same table: everybody all cases, or in shares. What others said of a case shows once you
  have judged it yourself. A case on which people differ, also by a little, is **disputed** until somebody settles it.
- **Keys**: J and K (or the arrows) browse, judged cases as well; N writes a note, F flags the cell that the arrows have
  reached, U takes back, S sets aside, H lists all keys.
""",
)

NAME = "Your name"
NAME_FIRST = "Say who you are; then the cases come."
ORDERS = {
    "deep": "Deep and familiar errors first",
    "neighbours": "Neighbours contradict the model",
    "columns": "Unused columns contradict the model",
    "prototype": "By leading prototype",
    "cut": "Near the cut",
    "far": "Least familiar first",
    "label": "Likely label errors first",
}
NUMBER_ORDERS = {
    "deep": "Farthest out and familiar first",
    "error": "Largest errors first",
    "neighbours": "Neighbours contradict the model",
    "prototype": "By leading prototype",
    "wide": "Least sure first",
    "far": "Least familiar first",
    "label": "Likely wrong numbers first",
}


def orders(*, number: bool) -> dict[str, str]:
    """Return the names of the orders that there are for a number, or for classes."""
    return NUMBER_ORDERS if number else ORDERS


PARTS = {
    "both": "All rows",
    "train": "Training rows",
    "held_out": "Held-out rows",
}
ORDER, ROWS, PAIR, BLIND, CASES, SHARING = "Order", "Rows", "Classes", "Blind", "Cases", "Share with others"
SPANS = {"sure": "probability of the class said", "familiar": "familiarity", "near": "nearness"}
SPAN_LABELS = {
    "sure": "How sure the model is, in %",
    "familiar": "Familiarity, as a quantile in %",
    "near": "Nearness to a known case, as a quantile in %",
}
SPAN_CHIP, PAIR_CHIP = "{what} from {low:.0f} to {high:.0f} %", "'{actual}' said to be '{said}'"
VIEW, VIEWS, ALL_VIEW, OWN_VIEW = "View: {name}", "View", "all cases", "as chosen below"
VIEW_NAME, SAVE_VIEW, RENAME_VIEW, DROP_VIEW = "Name of this view", "Save as a view", "Rename", "Delete the view"
VIEW_KEPT = "A view has these filters and the slice of rows that is followed."
NO_FILTER = "A view needs a filter first."
TAKE_AWAY = "Take this filter away"
SHOW_ALL = "Show all cases"
ORIGINS = {
    "map": "picked on the map",
    "cell": "of a cell of the confusion matrix",
    "wrong": "listed as misclassified",
    "list": "of a list",
}
STATES = {
    "all": "All cases",
    "open": "Open",
    "disputed": "Disputed",
    "done": "Done",
    "skipped": "Set aside",
}
SHARINGS = {"everybody": "Everybody all", "shares": "In shares"}
BLIND_HELP = "Hides the estimate, the class in the table and that something is an error; the order then tells nothing."
ALL_PAIRS, PAIR_WORDS = "All classes", f"{PAIR_CHIP} ({{count:,}})"

JUDGE = "Judge the training rows, too"
JUDGE_HELP = "Fits the model five times, each time without a fifth of the training rows; about {seconds}."
JUDGING = "The training rows are being judged by models that have not seen them; they join the queue when that is done."
NOT_JUDGED = (
    "Training rows are judged here by the model that has learned from them, which hides most of their errors. Models "
    "that have not seen them tell more."
)

EMPTY = "There is nothing to review here: no case fits what is chosen above."
EMPTY_FILTERS = "No case is left by: {filters}."
BLIND_LIST = "Blind, the list that was handed over is left out: it would tell what the model or the table says."
NO_SUCH_ROWS = "None of the rows that the address hands over are in this table, so all cases come."
NOT_LISTED = (
    "{count} of the list {verb} not here. Half of the held-out rows are reviewed by nobody, so that models can still "
    "be measured on them, and rows without a target leave nothing to judge."
)
REVIEW_THESE = "Review these"
REVIEW_THESE_HELP = "One by one on Review, in its order, with a verdict on each."
TOO_MANY_THESE = "At most {most:,} rows of the table can be handed over to Review; make the list shorter."
NO_ERRORS = "The model gets no listed row wrong. There is nothing to review."
NONE_OUTSIDE = "No listed number lies outside its interval. There is nothing to review."
NO_NUMBER = "'{number}' is no number. Write it with a point, such as 310.5."
KNOWN, SAYS, FIFTH = "the training rows", "what the model says", "{n}. fifth of the numbers"
TOGETHER = "Agreement"
NUMBERS_DIFFER = "Numbers that differ at all count as different answers here."
OPENLY = "Show me all that was said"
OPENLY_HELP = (
    "For who settles disputes or looks at the result: words of others then show on all cases. "
    "Verdicts that you give from then on say so."
)
OPENLY_PLACE = "words of others were shown"
HIDDEN = "Others who reviewed this table: {names}. What others said of a case shows once you have judged it yourself."
NO_OVERLAP = "No case that you may see was judged by two people, so nothing can be said about agreement yet."
ON_SEEN = "Counted are cases that you have judged, too; the others stay hidden until then."
AGAIN = "Look again"
AS_OF = "Drawn from {count}; 'Look again' adds what was said since."
MATRIX, MATRIX_HELP = "What the one says and what the other", "{first} in the lines, {second} in the columns."
MATRIX_MORE = "Every pair of people, in both orders."
BY_CLASS, BY_VERDICT = "What comes out", "Verdicts"
DISPUTES, NO_DISPUTES = "Disputed ({count:,})", "Nothing that you may see is disputed."
SETTLE, SETTLE_IT = "Settle row {row}", "Settle"
SETTLED_BY = "Row {row}: {result}, settled by {name}"
SETTLE_CASE, SETTLE_ROW = "Row {row}", "Who said what"
SETTLE_HIDDEN = "hidden from them"
SETTLE_AS = "What holds"
SETTLE_NOTE = "Why"
SETTLE_NUMBER = "Another number that nobody has named; it holds if it is given"
OWN_DISPUTE = "You are one of those who differ. A third person is better; if you settle it, the record shows that."
SETTLE_NAME = "Say who you are above; then you can settle it."
GONE = "Nothing is to be settled here any more. Close this and look again."
SETTLE_PLACE, SETTLE_OWN_PLACE = "settled side by side", "settled side by side by one of those who differ"
MINUTES = "Minutes of the review (HTML)"
BLIND_SLICE = "Blind, filters and slices that would tell what the model or the table says are not followed."
SLICE_CHIP = "slice '{name}'"
UNTOUCHED = "{count} held out and never put up for judgement, for an honest before and after."

LISTENS = "What the model hears"
FIT_AGAIN = "Fit again with what was said"
FIT_HELP = (
    "Same target and settings; training rows with another class are learned with it, faulty ones are left out, and "
    "what was asked of columns, prototypes and candidates is obeyed."
)
FIT_HELP_NUMBER = (
    "Same target and settings; training rows with another number are learned with it, faulty ones are left out, and "
    "what was asked of columns, prototypes and candidates is obeyed."
)
COLUMNS_FIRST = (
    "Say first what the next model may look at: often a column that it left out explains an error better than another "
    "class does. Nothing is fitted until you ask for it."
)
COLUMNS_FIRST_NUMBER = (
    "Say first what the next model may look at: often a column that it left out explains a number better than a slip "
    "of the pen does. Nothing is fitted until you ask for it."
)
NOTHING_TO_LEARN = "Nothing of it changes what a fit learns from."
HIDDEN_REQUESTS = "{count} more, of others on cases that you have not judged: shown once you have."
HAS_HEARD_BELOW = "This model was fitted with {what}. Below the queue it stands beside the one without it."
SIDES = "Held-out rows that changed their side ({count:,})"
NEXT_FIT = "The next fit listens to what was said: {what}."
TAKEN_BACK = "The next fit no longer listens to what the model shown was told: {what}."
SAME_SETTINGS = "Fit with the same settings"
SAME_SETTINGS_HELP = (
    "Penalties, batches and all other settings stay those of the model shown, so that less changes by chance. The "
    "button of the form may find other settings."
)
WITHOUT = "Fit without it"
GO_BACK = "Back to the model without it"
OVERVIEW = "The review as a whole: verdicts over time, and what the errors have in common"
OVER_TIME = "A mark for each verdict at the time when it was given, one line for each kind."
NOTHING_SAID = "Nobody has said anything yet."
ON_ERRORS = "On cases that the model gets wrong: {count} ({each})."
NO_VERDICT_ON_ERRORS = "No verdict stands on a case that the model gets wrong."
ON_OUTSIDE = "On numbers that lie outside their interval: {count} ({each})."
NO_VERDICT_OUTSIDE = "No verdict stands on a number that lies outside its interval."
BLIND_OVERVIEW = "Blind, nothing is said here of what the errors have in common."
SAID = "All verdicts"
SAID_COUNT = "{count}, the last first."
FILES, SOME_FILES = "Verdicts ({kind})", "Verdicts that you may see ({kind})"
CORRECTED, CORRECTED_NUMBERS = "Table with corrected classes (CSV)", "Table with corrected numbers (CSV)"
CHANGED_FROM, FAULTY = "changed from", "said to be faulty"
CORRECTED_HELP = (
    "All rows in their order, with what stands of all that was said. Behind them stands what the table has in rows "
    "that were changed, and which rows are said to be faulty: both are for comparing and no features. Cells are "
    "written as they were read, not as they stand in the file: commas between them, a decimal point, dates such as "
    "2024-05-31, nothing where a word means missing; an apostrophe stands before what a spreadsheet would run."
)
BRING, BRING_FILE = "Verdicts from a file", "A file of verdicts: one that this page wrote elsewhere, or your own"
_BRING = (
    "A file of your own needs the columns 'row' and 'verdict' ({verdicts}), and may have 'new' (what the row should "
    "be), 'note', 'reasons' and 'reviewer'; lines that name nobody are yours. Nothing that was said is changed, and "
    "the same file can be brought again."
)
BRING_CLASSES = _BRING.format(verdicts="table, model, other, both, faulty, undecidable or skipped")
BRING_NUMBERS = _BRING.format(
    verdicts="table, both, faulty, undecidable or skipped; model and other, where 'new' has the number"
)
BROUGHT, BROUGHT_BEFORE = "{added} of '{name}' added{before}.", ", {count:,} there before"
NOT_TAKEN, MORE_LINES = "{count} not taken:", "and {count:,} more"
OTHER_ROW = "Row {row} holds other values than when this was said. Open the case again and say it anew."
NO_ROW = "There is no row {row} in this table."
VERDICTS = {
    "table": "the table is right",
    "model": "the model is right",
    "other": "another one is right",
    "both": "both are possible",
    "faulty": "the row is faulty",
    "undecidable": "not decidable from these columns",
    "skipped": "set aside",
    "undone": "taken back",
}
REASONS = ("label error", "measurement", "column missing", "prototype doubtful", "not alike", "rare case")
NUMBER_REASONS = ("slip of the pen", "measurement", "column missing", "prototype doubtful", "not alike", "rare case")
EVERY_ROW = "all rows"
