"""The pages of the app, in the order of the menu; everything that lists pages reads this."""

from __future__ import annotations

from dashboard.components.quality.by_group import BY
from dashboard.components.quality.familiarity_groups import GROUPS
from dashboard.services.numbers.prototypes import ORDER as NUMBER_ORDER
from dashboard.services.numbers.quality import ERRORS
from dashboard.services.page import Needs, Page
from dashboard.services.prototypes import CARDS, PROTOTYPE
from dashboard.services.quality.quality import CLASS, SHOWN
from dashboard.services.slices import SLICE
from dashboard.session.session import PART, RULE
from dashboard.texts import case as case_text
from dashboard.texts import compare as compare_text
from dashboard.texts import data as data_text
from dashboard.texts import features as features_text
from dashboard.texts import fit as fit_text
from dashboard.texts import map as map_text
from dashboard.texts import new as new_text
from dashboard.texts import prototypes as prototypes_text
from dashboard.texts import quality as quality_text
from dashboard.texts import report as report_text
from dashboard.texts import review as review_text
from dashboard.texts import start as start_text
from dashboard.texts import surface as surface_text
from dashboard.views import (
    case,
    compare,
    data,
    features,
    fit,
    map,
    new,
    number_case,
    number_compare,
    number_features,
    number_map,
    number_new,
    number_prototypes,
    number_quality,
    number_report,
    number_surface,
    prototypes,
    quality,
    report,
    review,
    start,
    surface,
)

PAGES = (
    Page("start", "", Needs.NOTHING, (), start_text.PAGE, start.render, number=start.render, next=None),
    Page("data", "build", Needs.NOTHING, (), data_text.PAGE, data.render, number=data.render),
    Page("fit", "build", Needs.TABLE, (RULE,), fit_text.PAGE, fit.render, number=fit.render),
    Page(
        "quality",
        "understand",
        Needs.STUDY,
        (SHOWN, PART, CLASS, GROUPS, BY, SLICE, RULE, ERRORS),
        quality_text.PAGE,
        quality.render,
        number=number_quality.render,
    ),
    Page(
        "map",
        "understand",
        Needs.STUDY,
        (PART, *map.PARAMS, *number_map.PARAMS, SLICE, RULE),
        map_text.PAGE,
        map.render,
        number=number_map.render,
    ),
    Page(
        "surface",
        "understand",
        Needs.STUDY,
        (*surface.PARAMS, *number_surface.PARAMS, SLICE, RULE),
        surface_text.PAGE,
        surface.render,
        number=number_surface.render,
    ),
    Page(
        "features",
        "understand",
        Needs.STUDY,
        (*features.PARAMS, *number_features.PARAMS, SLICE),
        features_text.PAGE,
        features.render,
        number=number_features.render,
    ),
    Page(
        "prototypes",
        "understand",
        Needs.STUDY,
        (PART, PROTOTYPE, CARDS, NUMBER_ORDER, SLICE, RULE),
        prototypes_text.PAGE,
        prototypes.render,
        number=number_prototypes.render,
        next="case",
    ),
    Page(
        "compare",
        "understand",
        Needs.STUDY,
        (*compare.PARAMS, SLICE, RULE),
        compare_text.PAGE,
        compare.render,
        number=number_compare.render,
    ),
    Page(
        "case",
        "cases",
        Needs.STUDY,
        (PART, *case.PARAMS, *number_case.PARAMS, SLICE, RULE),
        case_text.PAGE,
        case.render,
        number=number_case.render,
        next=None,
    ),
    Page(
        "review",
        "cases",
        Needs.STUDY,
        (*review.PARAMS, SLICE, RULE),
        review_text.PAGE,
        review.render,
        number=review.render,
        next="quality",
    ),
    Page(
        "new",
        "cases",
        Needs.STUDY,
        (new.ORDER, new.NEAR, *number_new.PARAMS, RULE),
        new_text.PAGE,
        new.render,
        number=number_new.render,
    ),
    Page(
        "report",
        "share",
        Needs.STUDY,
        (*report.PARAMS, *number_report.PARAMS, SLICE, RULE),
        report_text.PAGE,
        report.render,
        number=number_report.render,
        next=None,
    ),
)
