"""The command palette: profiles' titles are shown as they are, never read as markup."""

from __future__ import annotations

from textual.command import DiscoveryHit, Hit, Hits
from textual.content import Content
from textual.markup import escape
from textual.style import Style
from textual.system_commands import SystemCommandsProvider


class LiteralCommands(SystemCommandsProvider):
    """The app's commands. Textual's own provider would take ``[/checkout]`` in a title for a closing tag."""

    async def discover(self) -> Hits:
        for title, about, command, shown in sorted(self.app.get_system_commands(self.screen)):
            if shown:
                yield DiscoveryHit(Content(title), command, help=escape(about))

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        style = self.match_style or Style.null()
        for title, about, command, _ in self.app.get_system_commands(self.screen):
            score, offsets = matcher.fuzzy_search.match(query, title)
            if score > 0:
                found = Content(title)
                for offset in offsets:
                    found = found.stylize(style, offset, offset + 1)
                yield Hit(score, found, command, help=escape(about))
