"""Figure 4.4 on the Quality page: cases grouped by class, result, part or any column; the choice is in the address."""

from dashboard import cache
from dashboard.components.quality.familiarity_groups import GROUPS


def test_groups_are_chosen_and_stand_in_the_address(open_app, iris_study):
    cache.keep_sample_study("iris_2f", iris_study)
    app = open_app("quality", data="iris_2f", fit="own", show="familiarity", group="1")
    assert not app.exception
    box = app.selectbox(key="familiarity.groups")
    assert box.value == 1
    names = [str(name) for name in app.held.study.table.frame.columns]
    assert box.options == ["actual class", "right or wrong", "part of the split", *names]
    box.set_value(3).run()
    assert not app.exception
    assert app.query_params["group"] == "3"
    assert app.held.get(GROUPS) == 3
