from tui.load.merging import TickMerger


def message(tick, t1, ok=1, in_flight=2, busy=0.5, lag=1_000_000):
    tally = {"sent": ok, "outcomes": {"ok": ok}}
    latency = {
        "count": ok,
        "min_ns": 5,
        "max_ns": 5,
        "sum_ns": 5 * ok,
        "squares_ns2": 25 * ok,
        "digits": 2,
        "counts": {"0": ok},
    }
    return {
        "kind": "tick",
        "number": tick,
        "t1": t1,
        "in_flight": in_flight,
        "busy": busy,
        "lag": lag,
        "tally": tally,
        "latency": latency,
    }


def merger(processes=2):
    told = []
    return TickMerger(processes, 1_000_000_000, told.append), told


def test_a_tick_is_told_once_each_process_has_reported_it():
    merging, told = merger()
    merging.add(0, message(1, 1_250_000_000, ok=3))
    assert told == []
    merging.add(1, message(1, 1_251_000_000, ok=4, busy=0.7, lag=3_000_000))
    (tick,) = told
    assert (tick.t0, tick.t1) == (1.0, 1.251)
    assert tick.tally.outcomes.ok == tick.latency.count == 7
    assert tick.in_flight == 4
    assert tick.busy == (0.5, 0.7)
    assert tick.lag == 0.003


def test_ticks_follow_each_other_without_a_gap():
    merging, told = merger(1)
    merging.add(0, message(1, 1_250_000_000))
    merging.add(0, message(2, 1_500_000_000))
    assert told[1].t0 == told[0].t1 == 1.25


def test_a_tick_that_one_left_out_waits_for_no_one():
    merging, told = merger()
    merging.add(0, message(1, 1_250_000_000))
    merging.add(1, message(2, 1_500_000_000, ok=9))
    assert [tick.tally.outcomes.ok for tick in told] == [1]
    merging.add(0, message(2, 1_500_000_000))
    assert [tick.tally.outcomes.ok for tick in told] == [1, 10]


def test_who_is_done_holds_no_tick_up():
    merging, told = merger()
    merging.finish(0, message(0, 1_100_000_000, in_flight=0))
    merging.add(1, message(1, 1_250_000_000))
    merging.add(1, message(2, 1_500_000_000))
    assert [tick.tally.outcomes.ok for tick in told] == [2, 1]
    assert told[1].busy == (0.0, 0.5)
    assert told[1].in_flight == 2


def test_the_rest_after_the_last_tick_is_a_tick_of_its_own():
    merging, told = merger(1)
    merging.add(0, message(1, 1_250_000_000))
    merging.finish(0, message(1, 1_300_000_000, ok=5))
    assert [tick.tally.outcomes.ok for tick in told] == [1, 5]


def test_who_died_holds_no_tick_up_and_has_nothing_in_flight():
    merging, told = merger()
    merging.add(0, message(1, 1_250_000_000, in_flight=7))
    merging.finish(1, None)
    merging.finish(0, message(1, 1_300_000_000, in_flight=0))
    assert [tick.in_flight for tick in told] == [7, 0]
