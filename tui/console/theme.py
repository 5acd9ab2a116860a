"""The colours of the console: one accent for what is measured, yellow and red only for what needs a person.

All of them are entries of the 256-colour table, since ssh doesn't forward COLORTERM and Textual then rounds every
colour to that table.
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
    },
)
"""The default. Any other theme of Textual's works too: widgets name variables, never colours."""

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
    variables={"border": "#005f87", "border-blurred": "#b2b2b2"},
)
