"""What a terminal sends that is no UTF-8 is ignored."""

from __future__ import annotations

from tui.console.driver import InputDecoder


def decoded(*parts: bytes) -> list[str]:
    decoder = InputDecoder()
    return [decoder.decode(part) for part in parts]


def test_a_character_may_come_in_two_pieces_and_a_stray_byte_is_dropped() -> None:
    assert decoded(b"\xc3", b"\xa9", b"\xe9q", b"\xff\xfe") == ["", "é", "q", ""]


def test_an_old_mouse_report_is_dropped_with_its_three_bytes() -> None:
    assert decoded(b"a\x1b[M\xa0\xa1\xa2b") == ["ab"]
    assert decoded(b"a\x1b[M\xa0", b"\xa1\xa2b", b'\x1b[M !"c') == ["a", "b", "c"]


def test_other_sequences_are_kept() -> None:
    assert decoded(b"\x1b", b"[A", b"\x1b[<0;3;4M") == ["\x1b", "[A", "\x1b[<0;3;4M"]
