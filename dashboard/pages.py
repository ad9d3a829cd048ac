"""The pages of the app, in the order of the menu; everything that lists pages reads this."""

from __future__ import annotations

from dashboard.services.page import Needs, Page
from dashboard.session.session import PART
from dashboard.texts import case as case_text
from dashboard.texts import data as data_text
from dashboard.texts import features as features_text
from dashboard.texts import fit as fit_text
from dashboard.texts import map as map_text
from dashboard.texts import surface as surface_text
from dashboard.views import case, data, features, fit, map, surface

PAGES = (
    Page("data", "start", Needs.NOTHING, (), data_text.PAGE, data.render),
    Page("fit", "start", Needs.TABLE, (), fit_text.PAGE, fit.render),
    Page("map", "look", Needs.STUDY, (PART, *map.PARAMS), map_text.PAGE, map.render),
    Page("surface", "look", Needs.STUDY, surface.PARAMS, surface_text.PAGE, surface.render),
    Page("features", "look", Needs.STUDY, (features.ASPECT, features.LEVELS), features_text.PAGE, features.render),
    Page("case", "cases", Needs.STUDY, (PART, case.FEATURES), case_text.PAGE, case.render, next=None),
)
