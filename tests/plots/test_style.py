import numpy as np
import plotly.graph_objects as go
import pytest

from proset.plots import style


def luminance(colour):
    channels = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


def contrast(first, second):
    dark, light = sorted([luminance(first), luminance(second)])
    return (light + 0.05) / (dark + 0.05)


def test_colour_belongs_to_the_place_of_a_class():
    names = [f"class {i}" for i in range(10)]
    colours = style.class_colours(names)
    assert list(colours) == names
    assert len(set(colours.values())) == 10
    assert style.class_colours(names[:2]) == {name: colours[name] for name in names[:2]}


def test_ninety_classes_differ_in_colour_or_symbol():
    looks = style.class_looks([str(i) for i in range(90)])
    assert len({(look.colour, look.symbol) for look in looks}) == 90


def test_symbols_leave_star_and_diamond_to_reference_and_selection():
    assert not {style.REFERENCE_SYMBOL, "diamond"} & set(style.CLASS_SYMBOLS)


@pytest.mark.parametrize("colour", [c for c in style.CLASS_COLOURS if c != "#F0E442"])
def test_every_colour_is_seen_on_light_and_dark_pages(colour):
    assert contrast(colour, "#FFFFFF") > 2.2
    assert contrast(colour, "#0E1117") > 2.2


def test_finish_lets_the_theme_show_through():
    figure = style.finish(go.Figure(), x_title="width (cm)")
    assert figure.layout.plot_bgcolor == figure.layout.paper_bgcolor == style.TRANSPARENT
    assert figure.layout.font.color is None
    assert figure.layout.xaxis.title.text == "width (cm)"


@pytest.mark.parametrize("colour", style.CLASS_COLOURS)
def test_every_class_colour_can_be_seen_as_a_small_mark_on_a_dark_page(colour):
    assert contrast(style.for_dark(colour), "#12171d") > 4.5
