"""The console's colours: one accent for measurements; yellow and red only for what needs attention.

The first two themes use entries of the 256-colour table: ssh doesn't forward COLORTERM, and Textual then rounds every
colour to that table. A terminal with 16 colours (TERM=linux) would round the accent to grey, so it gets colours it has.
"""

from __future__ import annotations

from textual.theme import Theme

STACKDYNO_DARK = Theme(
    name="stackdyno",
    primary="#5fafd7",
    secondary="#5f87af",
    accent="#5fafd7",
    warning="#d7af5f",
    error="#ff5f5f",
    success="#87af87",
    foreground="#d0d0d0",
    background="#121212",
    surface="#1c1c1c",
    panel="#262626",
    dark=True,
    variables={
        "footer-background": "#1c1c1c",
        "footer-key-foreground": "#5fafd7",
        "footer-description-foreground": "#9e9e9e",
        "block-cursor-background": "#303030",
        "block-cursor-foreground": "#eeeeee",
        "border": "#5fafd7",
        "border-blurred": "#3a3a3a",
        "variant-1": "#5fafd7",
        "variant-2": "#d787d7",
        "variant-3": "#87d787",
        "variant-4": "#af875f",
        "variant-5": "#bcbcbc",
    },
)
"""The default. Any other Textual theme works too: widgets use variables, never colours."""

STACKDYNO_16 = Theme(
    name="stackdyno-16",
    primary="#00aaaa",
    secondary="#00aaaa",
    accent="#00aaaa",
    warning="#ffff55",
    error="#ff5555",
    success="#00aa00",
    foreground="#d0d0d0",  # at two thirds it is still a light grey, at a fifth a dark grey
    background="#000000",
    surface="#000000",
    panel="#000000",
    dark=True,
    variables={
        "footer-background": "#000000",
        "footer-key-foreground": "#00aaaa",
        "footer-description-foreground": "#aaaaaa",
        "block-cursor-background": "#555555",
        "block-cursor-foreground": "#ffffff",
        "border": "#00aaaa",
        "border-blurred": "#555555",
        "variant-1": "#00aaaa",
        "variant-2": "#ff55ff",
        "variant-3": "#55ff55",
        "variant-4": "#aa5500",
        "variant-5": "#aaaaaa",
    },
)
"""For a terminal with 16 colours. Dimmed text becomes dark grey, whatever its colour."""

STACKDYNO_LIGHT = Theme(
    name="stackdyno-light",
    primary="#005f87",
    secondary="#5f87af",
    accent="#005f87",
    warning="#875f00",
    error="#af0000",
    success="#005f00",
    foreground="#262626",
    background="#eeeeee",
    surface="#e4e4e4",
    panel="#dadada",
    dark=False,
    variables={
        "border": "#005f87",
        "border-blurred": "#b2b2b2",
        "variant-1": "#005f87",
        "variant-2": "#af00af",
        "variant-3": "#008700",
        "variant-4": "#5f00d7",
        "variant-5": "#6c6c6c",
    },
)

VARIANTS_ELSEWHERE = {
    "variant-1": "#0087af",
    "variant-2": "#af5faf",
    "variant-3": "#00875f",
    "variant-4": "#af875f",
    "variant-5": "#878787",
}
"""The colours of a comparison's variants in any other theme: visible on dark and on light."""

THEMES = (STACKDYNO_DARK, STACKDYNO_LIGHT, STACKDYNO_16)


def theme_for(color_system: str | None) -> str:
    """The theme for a terminal's colour system: "truecolor", "256", "standard", or None for no colours."""
    return STACKDYNO_16.name if color_system == "standard" else STACKDYNO_DARK.name
