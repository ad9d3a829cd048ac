"""The penalised likelihood of one batch, (2.8) to (2.12): the problem, its penalty, a plain reference, a fast form."""
