"""The iteration: what it converges to, and when it stops."""

import numpy as np
import pytest
from companions.smp.made import fitted_rows, made_rows
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import scale

from proset.companions.smp import SMPClassifier
from proset.companions.smp.fitting import fit_rows, make_ground
from proset.companions.smp.solver import Stop

BOTH = pytest.mark.parametrize("solver", ["chambolle-pock", "accelerated"])


@BOTH
def test_one_prototype_without_fusion_is_elastic_net_softmax_regression(solver):
    X, y = load_wine(return_X_y=True)
    X, mu, eta = scale(X), 0.01, 1.0
    model = SMPClassifier(1, lam=0.0, mu=mu, eta=eta, max_iter=20_000, tol=1e-9, stopping="change", solver=solver)
    model.fit(X, y)
    reference = LogisticRegression(
        C=1.0 / (len(y) * mu * (1.0 + eta)), l1_ratio=1.0 / (1.0 + eta), solver="saga", fit_intercept=False,
        max_iter=20_000, tol=1e-10,
    ).fit(X, y)  # fmt: skip
    np.testing.assert_allclose(model.coef_, reference.coef_, atol=1e-6)
    assert model.nnz_ == np.count_nonzero(reference.coef_) == 20
    np.testing.assert_allclose(model.predict_proba(X), reference.predict_proba(X), atol=1e-6)


def test_a_row_of_weight_two_counts_like_two_rows():
    rows = made_rows()
    doubled = np.arange(60) < 20
    X, y = np.vstack([rows.X, rows.X[doubled]]), np.append(rows.target, rows.target[doubled])
    weighted = SMPClassifier(tol=1e-8, max_iter=20_000, mu=0.01).fit(rows.X, rows.target, 1.0 + doubled)
    np.testing.assert_allclose(
        SMPClassifier(tol=1e-8, max_iter=20_000, mu=0.01).fit(X, y).coef_, weighted.coef_, atol=1e-6
    )


@pytest.mark.parametrize("graph", ["complete", "knn"])
def test_a_huge_fusion_penalty_leaves_one_prototype_per_class(graph):
    fitted = SMPClassifier(4, lam=10.0, mu=0.01, fusion_graph=graph, max_iter=20_000, tol=1e-7).fit(
        made_rows().X, made_rows().target
    )
    assert fitted.n_distinct_ == 3


@pytest.mark.parametrize(
    "parameters",
    [{"solver": "chambolle-pock"}, {"lam": 0.2, "n_prototypes": 4}, {"loss": "max"}, {"fit_intercept": True}],
)
def test_dual_variables_stay_in_their_ball(parameters):
    V = fitted_rows(made_rows(), max_iter=50, **parameters).solution.V
    assert V.shape[1] == 4
    assert (np.abs(V).sum(axis=1) <= 1.0 + 1e-12).all()


@pytest.mark.parametrize("parameters", [{"lam": 0.0}, {"lam": 0.01}, {"lam": 0.1, "n_prototypes": 3}])
@BOTH
def test_objective_hardly_rises_on_the_tail(solver, parameters):
    history = fitted_rows(made_rows(), max_iter=2_000, tol=0.0, solver=solver, **parameters).solution.objective
    tail = history[len(history) // 2 :]
    assert (np.diff(tail) <= 1e-6 * tail[0]).all()  # each step goes down in primal and dual together, not in this alone
    assert history[-1] < history[0]
    assert history[-1] == pytest.approx(history.min(), rel=1e-6)


def test_without_fusion_every_step_goes_down():
    history = fitted_rows(made_rows(), max_iter=300, tol=0.0, lam=0.0, solver="chambolle-pock").solution.objective
    assert (np.diff(history) <= 1e-12).all()


def test_the_sharp_loss_keeps_the_best_iterate():
    fitted = fitted_rows(made_rows(), loss="max", max_iter=400, tol=0.0, lam=0.0, mu=1e-5)
    history = fitted.solution.objective
    assert (np.diff(history) > 0.0).any()
    assert fitted.problem.value(fitted.solution.W) == pytest.approx(history.min(), rel=1e-12)


def test_tight_steps_get_further_than_those_of_the_paper():
    rows, parameters = made_rows(), {"max_iter": 200, "tol": 0.0, "solver": "chambolle-pock"}
    ends = {step: fitted_rows(rows, step=step, **parameters).solution.objective[-1] for step in ("tight", "paper")}
    assert ends["tight"] < ends["paper"]


@pytest.mark.parametrize("parameters", [{}, {"lam": 0.3, "n_prototypes": 4}, {"eta": 0.0, "fusion_graph": "knn"}])
def test_both_solvers_end_at_the_same_optimum_and_momentum_gets_there_earlier(parameters):
    rows, parameters = made_rows(weighted=True), {"mu": 0.01, "max_iter": 50_000, "tol": 1e-5, **parameters}
    plain, fast = (fitted_rows(rows, solver=solver, **parameters) for solver in ("chambolle-pock", "accelerated"))
    assert fast.solution.objective[-1] == pytest.approx(plain.solution.objective[-1], rel=2e-5)
    assert fast.solution.n_iter < plain.solution.n_iter / 3
    assert plain.solution.stop is fast.solution.stop is Stop.GAP


def test_a_warm_start_is_done_at_once():
    rows, settings = made_rows(), SMPClassifier().get_params()
    ground = make_ground(rows, settings)
    first = fit_rows(rows, settings, ground).solution
    again = fit_rows(rows, settings, ground, (first.W, first.V)).solution
    assert again.n_iter <= 10 < first.n_iter


@BOTH
def test_reasons_to_stop(solver):
    rows, parameters = made_rows(), {"solver": solver, "tol": 1e-2, "max_iter": 20_000}
    assert fitted_rows(rows, solver=solver, max_iter=2).solution.stop is Stop.LIMIT
    assert fitted_rows(rows, stopping="change", **parameters).solution.stop is Stop.CHANGE
    assert fitted_rows(rows, mu=0.0, **parameters).solution.stop is Stop.CHANGE
    by_gap = fitted_rows(rows, **parameters).solution
    assert by_gap.stop is Stop.GAP
    assert by_gap.gap <= 1e-2 * by_gap.objective[-1]
