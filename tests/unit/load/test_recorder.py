from tui.load.kinds import ERROR_KINDS, OTHER
from tui.load.recorder import Counts, Recorder
from tui.load.result import Tally, Times


def test_one_time_of_a_fast_answer_stands_for_three():
    recorder = Recorder(100)
    recorder.know(b"x" * 160, 200, 14)
    recorder.fast += [1_000, 2_000]
    recorder.parts["waiting"].append(5_000)
    recorder.parts["processing"].append(6_000)
    recorder.parts["total"].append(7_000)
    _, latency = recorder.end_tick()
    assert Times(**latency).sum_ns == 10_000
    whole, times = recorder.end_round()
    sums = {
        name: Times(**times[name]).sum_ns for name in ("connect", "waiting", "processing", "total", "bad")
    }
    assert sums == {"connect": 0, "waiting": 8_000, "processing": 9_000, "total": 10_000, "bad": 0}
    tally = Tally(**whole)
    assert (tally.outcomes.ok, tally.statuses, tally.bytes_received, tally.body_bytes) == (
        2,
        {200: 2},
        320,
        28,
    )


def test_what_was_known_before_is_counted_as_what_it_was():
    recorder = Recorder(100)
    recorder.know(b"x" * 100, 200, 10)
    recorder.fast += [1_000]
    recorder.know(b"x" * 300, 200, 20)
    recorder.fast += [1_000]
    assert Tally(**recorder.end_tick()[0]).bytes_received == 400


def test_ticks_add_up_to_the_round():
    recorder = Recorder(100)
    recorder.know(b"x", 200, 1)
    ticks = []
    for number in range(3):
        recorder.resent(number)
        recorder.fast += [1_000] * number
        recorder.parts["bad"] += [9_000] * number
        recorder.tick.error(f"error {number}")
        ticks.append(Tally(**recorder.end_tick()[0]))
    assert ticks[0] + ticks[1] + ticks[2] == Tally(**recorder.end_round()[0])
    assert ticks[2].reused == ticks[2].sent == 2
    assert ticks[2].bytes_sent == 200


def test_error_texts_stay_few():
    counts, more = Counts(), Counts()
    for number in range(100):
        counts.error(f"kind {number}")
        more.error(f"kind {number + 50}")
    counts.add(more)
    assert len(counts.errors) <= ERROR_KINDS + 1
    assert counts.errors.total() == 200
    assert counts.errors[OTHER] >= 80
