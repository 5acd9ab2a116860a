"""What the console does about a key or a message, as tables of (session, event) and (session, effects)."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tui.console.experiment.frame import ExperimentFrame
from tui.console.profiles.rows import ProfileRow
from tui.console.session import (
    STARTING,
    About,
    Answered,
    Ask,
    AttachPressed,
    ComeBack,
    ComparePressed,
    ComparisonOf,
    ComparisonRead,
    Effect,
    Event,
    ExperimentProgressed,
    Follow,
    Found,
    Launch,
    Launched,
    LaunchFailed,
    Leave,
    MachineBusy,
    OtherMachine,
    ProfilesKnown,
    Question,
    QuitPressed,
    Refuse,
    RunOf,
    RunOpened,
    RunPressed,
    RunProgressed,
    Say,
    Select,
    Session,
    ShowComparison,
    SignalCame,
    Stop,
    StopPressed,
    StopRefused,
    Then,
    Untrusted,
    after,
)
from tui.experiment.record import ExperimentRecord
from tui.record.record import Record

SYNC, PRELOAD, NGINX = (
    ProfileRow("sync", "gunicorn, sync", Path("/sync.toml"), "ready", (), (), 20.0),
    ProfileRow("preload", "gunicorn, preloaded", Path("/preload.toml"), "ready", (), (), 20.0),
    ProfileRow("nginx", "nginx", Path("/nginx.toml"), "needs", (), ("needs nginx: apt install nginx",)),
)
ONE, TWO = Record(Path("/runs/one")), Record(Path("/runs/two"))
BOTH = ExperimentRecord(Path("/runs/2026-12-01_00-00-00_compare_sync_preload"))
DEAF = "one: its runner (pid 7) doesn't answer: timed out"
COMPARISON = ComparisonOf((SYNC, PRELOAD), 6)
IN_USE = "the run of hello by ada, pid 7"

RUN_CONTINUES = ComeBack("The run continues", ONE)

IDLE = Session(reading=False)
LAUNCHING = replace(IDLE, launch=RunOf(SYNC))
RUNNING = replace(IDLE, run=ONE, running=True, fresh=True, title=SYNC.title)
STOPPING = replace(RUNNING, stopping=True)
OVER = replace(RUNNING, running=False, has_result=True)


def frame(**changes: Any) -> ExperimentFrame:
    made = ExperimentFrame(
        name=BOTH.name,
        kind="comparison",
        running=True,
        run="one",
        label="sync",
        number=1,
        runs=12,
        done=0,
        fraction=0.0,
        seconds_left=None,
        taken_by=None,
        fault=None,
        comparable=False,
    )
    return replace(made, **changes)


COMPARING = replace(RUNNING, experiment=BOTH, progress=frame(), experiment_run=ONE)


def ended(run: Record = ONE, *, has_result: bool = True) -> RunProgressed:
    return RunProgressed(run.name, SYNC.title, SYNC.name, running=False, has_result=has_result)


def question(session: Session, event: Event) -> Question:
    """The one that an event leads to."""
    _, (effect,) = after(session, event)
    assert isinstance(effect, Ask)
    return effect.question


REPLACE = question(RUNNING, RunPressed(PRELOAD))
HOW_MANY = question(IDLE, ComparePressed((SYNC, PRELOAD)))
STOP_ALL = question(COMPARING, StopPressed())
QUIT = question(RUNNING, QuitPressed())
BUSY = question(LAUNCHING, MachineBusy(IN_USE))
ELSEWHERE = question(LAUNCHING, OtherMachine("http://192.0.2.1/ is on another machine"))
NEXT = replace(STOPPING, intent=RunOf(PRELOAD))
FROM_ELSEWHERE = Untrusted(("/srv/mine.toml",), ("odd: /bin/sh -c 'echo \x1b[8m'",), ("c0ffee",))
UNTRUSTED = question(LAUNCHING, FROM_ELSEWHERE)
QUITTING = replace(STOPPING, intent=Then.QUIT)

Row = tuple[Session, Event, Session, tuple[Effect, ...]]


def check(before: Session, event: Event, session: Session, effects: tuple[Effect, ...]) -> None:
    assert after(before, event) == (session, effects)


STARTS: list[Row] = [
    (IDLE, RunPressed(SYNC), LAUNCHING, (Launch(RunOf(SYNC), None),)),
    (OVER, RunPressed(SYNC), replace(OVER, launch=RunOf(SYNC)), (Launch(RunOf(SYNC), ONE),)),
    (IDLE, RunPressed(NGINX), IDLE, (Refuse("nginx: needs nginx: apt install nginx"),)),
    (
        IDLE,
        RunPressed(None),
        IDLE,
        (Refuse("there is no profile to run; stackdyno --profiles DIR reads yours"),),
    ),
    (LAUNCHING, RunPressed(SYNC), LAUNCHING, (Refuse(STARTING),)),
    (RUNNING, RunPressed(PRELOAD), RUNNING, (Ask(REPLACE),)),
    (COMPARING, RunPressed(SYNC), COMPARING, (Refuse("a comparison is running; s stops it"),)),
    (Session(), RunPressed(None), Session(intent=Then.RUN_SELECTED), ()),
    (Session(intent=Then.RUN_SELECTED), ProfilesKnown(SYNC), LAUNCHING, (Launch(RunOf(SYNC), None),)),
    (Session(), ProfilesKnown(SYNC), IDLE, ()),
    (IDLE, ComparePressed(()), IDLE, (ShowComparison(None),)),
    (IDLE, ComparePressed((SYNC, PRELOAD)), IDLE, (Ask(HOW_MANY),)),
    (LAUNCHING, ComparePressed((SYNC,)), LAUNCHING, (Refuse(STARTING),)),
    (IDLE, Answered(HOW_MANY, "6"), replace(IDLE, launch=COMPARISON), (Launch(COMPARISON, None),)),
    (IDLE, Answered(HOW_MANY, None), IDLE, ()),
]


@pytest.mark.parametrize("row", STARTS)
def test_what_starts_something(row: Row) -> None:
    check(*row)


LAUNCHED: list[Row] = [
    (
        LAUNCHING,
        Launched(ONE),
        replace(RUNNING, title=None),
        (Follow(ONE, fresh=True),),
    ),
    (
        replace(IDLE, launch=COMPARISON),
        Launched(BOTH),
        replace(IDLE, experiment=BOTH),
        (Follow(BOTH, fresh=True),),
    ),
    (
        replace(LAUNCHING, stopping=True, intent=RunOf(PRELOAD)),
        Launched(ONE),
        replace(NEXT, title=None),
        (Follow(ONE, fresh=True), Stop(ONE)),
    ),
    (
        replace(IDLE, launch=COMPARISON, stopping=True, intent=Then.QUIT),
        Launched(BOTH),
        replace(IDLE, experiment=BOTH, stopping=True, intent=Then.QUIT),
        (Follow(BOTH, fresh=True), Stop(BOTH)),
    ),
    (
        replace(LAUNCHING, intent=Then.LEAVE),
        Launched(ONE),
        replace(RUNNING, title=None, left=True),
        (Follow(ONE, fresh=True), Leave(come_back=RUN_CONTINUES)),
    ),
    (LAUNCHING, LaunchFailed("no"), IDLE, (Refuse("no"),)),
    (replace(LAUNCHING, stopping=True), LaunchFailed("no"), IDLE, (Refuse("no"),)),
    (
        replace(LAUNCHING, stopping=True, intent=Then.QUIT),
        LaunchFailed("no"),
        replace(IDLE, left=True),
        (Leave(("no",)),),
    ),
    (replace(LAUNCHING, intent=Then.LEAVE), LaunchFailed("no"), replace(IDLE, left=True), (Leave(("no",)),)),
    (
        replace(LAUNCHING, stopping=True, intent=RunOf(PRELOAD)),
        LaunchFailed("no"),
        replace(IDLE, launch=RunOf(PRELOAD)),
        (Refuse("no"), Launch(RunOf(PRELOAD), None)),
    ),
    (LAUNCHING, MachineBusy(IN_USE), IDLE, (Ask(BUSY),)),
    (LAUNCHING, OtherMachine("http://192.0.2.1/ is on another machine"), IDLE, (Ask(ELSEWHERE),)),
    (LAUNCHING, FROM_ELSEWHERE, IDLE, (Ask(UNTRUSTED),)),
    (IDLE, FROM_ELSEWHERE, IDLE, ()),
    (IDLE, Answered(UNTRUSTED, "n"), IDLE, ()),
    (IDLE, Answered(UNTRUSTED, None), IDLE, ()),
    (
        IDLE,
        Answered(UNTRUSTED, "y"),
        replace(IDLE, launch=RunOf(SYNC, trusted=("c0ffee",))),
        (Launch(RunOf(SYNC, trusted=("c0ffee",)), None),),
    ),
    (
        replace(LAUNCHING, intent=Then.LEAVE),
        MachineBusy(IN_USE),
        replace(IDLE, left=True),
        (Leave((f"{IN_USE} is still running: nothing was started",)),),
    ),
    (
        replace(LAUNCHING, stopping=True),
        MachineBusy(IN_USE),
        IDLE,
        (Refuse(f"{IN_USE} is still running: nothing was started"),),
    ),
    (
        IDLE,
        Answered(BUSY, "y"),
        replace(IDLE, launch=RunOf(SYNC, concurrent=True)),
        (Launch(RunOf(SYNC, concurrent=True), None),),
    ),
    (
        IDLE,
        Answered(ELSEWHERE, "y"),
        replace(IDLE, launch=RunOf(SYNC, remote=True)),
        (Launch(RunOf(SYNC, remote=True), None),),
    ),
    (IDLE, Answered(BUSY, "n"), IDLE, ()),
    (replace(LAUNCHING, run=TWO), Answered(BUSY, "y"), replace(LAUNCHING, run=TWO), (Refuse(STARTING),)),
]


@pytest.mark.parametrize("row", LAUNCHED)
def test_what_comes_of_a_launch(row: Row) -> None:
    check(*row)


STOPPED: list[Row] = [
    (IDLE, StopPressed(), IDLE, ()),
    (RUNNING, StopPressed(), STOPPING, (Stop(ONE), Say("Stopping; what was measured will be summarised."))),
    (LAUNCHING, StopPressed(), replace(LAUNCHING, stopping=True), ()),
    (COMPARING, StopPressed(), COMPARING, (Ask(STOP_ALL),)),
    (COMPARING, Answered(STOP_ALL, "n"), COMPARING, ()),
    (COMPARING, Answered(STOP_ALL, "y"), replace(COMPARING, stopping=True), (Stop(BOTH),)),
    (RUNNING, Answered(STOP_ALL, "y"), RUNNING, ()),
    (STOPPING, ended(), OVER, ()),
    (RUNNING, Answered(REPLACE, "n"), RUNNING, ()),
    (RUNNING, Answered(REPLACE, "y"), NEXT, (Stop(ONE),)),
    (LAUNCHING, Answered(REPLACE, "y"), replace(LAUNCHING, stopping=True, intent=RunOf(PRELOAD)), ()),
    (OVER, Answered(REPLACE, "y"), replace(OVER, launch=RunOf(PRELOAD)), (Launch(RunOf(PRELOAD), ONE),)),
    (RUNNING, Answered(HOW_MANY, "6"), replace(STOPPING, intent=COMPARISON), (Stop(ONE),)),
    (NEXT, ended(), replace(OVER, launch=RunOf(PRELOAD)), (Launch(RunOf(PRELOAD), ONE),)),
    (NEXT, ended(TWO), NEXT, ()),
    (
        NEXT,
        RunPressed(SYNC),
        NEXT,
        (Refuse("gunicorn, sync is stopping; gunicorn, preloaded starts next"),),
    ),
    (
        NEXT,
        RunOpened(TWO),
        NEXT,
        (Refuse("gunicorn, sync is stopping; gunicorn, preloaded starts next"),),
    ),
]


@pytest.mark.parametrize("row", STOPPED)
def test_what_is_stopped(row: Row) -> None:
    check(*row)


REFUSED: list[Row] = [
    (STOPPING, StopRefused(ONE, DEAF), RUNNING, (Refuse(DEAF),)),
    (NEXT, StopRefused(ONE, DEAF), RUNNING, (Refuse(f"{DEAF}; gunicorn, preloaded won't start"),)),
    (
        replace(STOPPING, intent=COMPARISON),
        StopRefused(ONE, DEAF),
        RUNNING,
        (Refuse(f"{DEAF}; the comparison of sync against preload won't start"),),
    ),
    (QUITTING, StopRefused(ONE, DEAF), RUNNING, (Refuse(f"{DEAF}; the console stays open"),)),
    (
        replace(COMPARING, stopping=True, intent=Then.QUIT),
        StopRefused(BOTH, DEAF),
        COMPARING,
        (Refuse(f"{DEAF}; the console stays open"),),
    ),
    (LAUNCHING, StopRefused(ONE, DEAF), LAUNCHING, (Refuse(DEAF),)),
]


@pytest.mark.parametrize("row", REFUSED)
def test_a_refused_stop_drops_what_was_pending_and_says_so_once(row: Row) -> None:
    check(*row)


@pytest.mark.parametrize("pending", [NEXT, QUITTING, replace(STOPPING, intent=COMPARISON)])
def test_after_a_refused_stop_keys_work_again_and_nothing_happens_by_itself(pending: Session) -> None:
    session, _ = after(pending, StopRefused(ONE, DEAF))
    assert session.intent is None and session.hint == ""
    assert question(session, RunPressed(PRELOAD)).about is About.REPLACE
    assert after(session, ended()) == (OVER, ())


QUITS: list[Row] = [
    (IDLE, QuitPressed(), replace(IDLE, left=True), (Leave(),)),
    (OVER, QuitPressed(), replace(OVER, left=True), (Leave(result=ONE),)),
    (
        replace(OVER, found=TWO),
        QuitPressed(),
        replace(OVER, found=TWO, left=True),
        (Leave(found=TWO, result=ONE),),
    ),
    (RUNNING, QuitPressed(), RUNNING, (Ask(QUIT),)),
    (RUNNING, Answered(QUIT, None), RUNNING, ()),
    (RUNNING, Answered(QUIT, "c"), RUNNING, ()),
    (RUNNING, Answered(QUIT, "s"), QUITTING, (Stop(ONE),)),
    (QUITTING, ended(), replace(OVER, left=True), (Leave(result=ONE),)),
    (QUITTING, Answered(QUIT, "c"), STOPPING, ()),
    (NEXT, Answered(QUIT, "s"), QUITTING, (Stop(ONE),)),
    (OVER, Answered(QUIT, "s"), replace(OVER, left=True), (Leave(result=ONE),)),
    (
        RUNNING,
        Answered(QUIT, "l"),
        replace(RUNNING, left=True),
        (Leave(come_back=RUN_CONTINUES),),
    ),
    (LAUNCHING, Answered(QUIT, "s"), replace(LAUNCHING, stopping=True, intent=Then.QUIT), ()),
    (LAUNCHING, Answered(QUIT, "l"), replace(LAUNCHING, intent=Then.LEAVE), ()),
    (replace(LAUNCHING, intent=Then.LEAVE), Answered(QUIT, "c"), LAUNCHING, ()),
    (replace(LAUNCHING, stopping=True, intent=Then.QUIT), Answered(QUIT, "c"), LAUNCHING, ()),
    (
        replace(LAUNCHING, intent=Then.LEAVE),
        StopPressed(),
        replace(LAUNCHING, stopping=True, intent=Then.QUIT),
        (),
    ),
    (
        COMPARING,
        Answered(QUIT, "l"),
        replace(COMPARING, left=True),
        (Leave(come_back=ComeBack("The comparison continues", BOTH)),),
    ),
    (COMPARING, Answered(QUIT, "s"), replace(COMPARING, stopping=True, intent=Then.QUIT), (Stop(BOTH),)),
    (RUNNING, SignalCame(1), replace(RUNNING, left=True), (Leave(come_back=RUN_CONTINUES, status=129),)),
    (
        LAUNCHING,
        SignalCame(15),
        replace(LAUNCHING, left=True),
        (Leave(come_back=ComeBack("A run is starting", None), status=143),),
    ),
    (NEXT, SignalCame(1), replace(STOPPING, left=True), (Leave(come_back=RUN_CONTINUES, status=129),)),
    (replace(RUNNING, left=True), SignalCame(15), replace(RUNNING, left=True), (Leave(status=143),)),
    (replace(RUNNING, left=True), RunPressed(SYNC), replace(RUNNING, left=True), ()),
]


@pytest.mark.parametrize("row", QUITS)
def test_leaving(row: Row) -> None:
    check(*row)


LOOKS: list[Row] = [
    (IDLE, AttachPressed(), IDLE, ()),
    (
        Session(),
        Found(ONE, "sync"),
        Session(found=ONE, note="A run started elsewhere is in progress, one: a shows it"),
        (Select("sync", override=False),),
    ),
    (
        IDLE,
        Found(BOTH),
        replace(IDLE, found=BOTH, note="A comparison started elsewhere is running: a shows it"),
        (),
    ),
    (RUNNING, Found(TWO, "preload"), RUNNING, ()),
    (
        replace(IDLE, found=ONE, note="one"),
        AttachPressed(),
        replace(RUNNING, fresh=False, title=None),
        (Follow(ONE),),
    ),
    (replace(IDLE, found=BOTH), AttachPressed(), replace(IDLE, experiment=BOTH), (Follow(BOTH),)),
    (
        replace(RUNNING, fresh=False, title=None),
        RunProgressed("one", SYNC.title, "sync", running=True, has_result=True),
        replace(RUNNING, fresh=False, has_result=True),
        (Select("sync"),),
    ),
    (RUNNING, RunOpened(ONE), RUNNING, ()),
    (
        RUNNING,
        RunOpened(TWO),
        replace(RUNNING, run=TWO, fresh=False, title=None, found=ONE),
        (Follow(TWO), Say("one is still running: a shows it again")),
    ),
    (
        OVER,
        RunOpened(TWO),
        replace(RUNNING, run=TWO, fresh=False, title=None),
        (Follow(TWO),),
    ),
]


@pytest.mark.parametrize("row", LOOKS)
def test_looking_at_another_run(row: Row) -> None:
    check(*row)


END = frame(running=False, run=None, done=12, comparable=True)
AFTER = replace(OVER, experiment_run=ONE, progress=END)
BETWEEN = replace(COMPARING, running=False, has_result=True)
EXPERIMENTS: list[Row] = [
    (
        replace(IDLE, experiment=BOTH),
        ExperimentProgressed(frame()),
        replace(COMPARING, title=None),
        (Follow(ONE, fresh=True),),
    ),
    (COMPARING, ended(), BETWEEN, ()),
    (
        BETWEEN,
        ExperimentProgressed(frame(run="two")),
        replace(COMPARING, run=TWO, experiment_run=TWO, title=None, progress=frame(run="two")),
        (Follow(TWO, fresh=True),),
    ),
    (
        replace(COMPARING, experiment_run=TWO, progress=frame(run="two")),
        ExperimentProgressed(frame(run="three")),
        replace(
            COMPARING,
            experiment_run=Record(Path("/runs/three")),
            found=Record(Path("/runs/three")),
            progress=frame(run="three"),
        ),
        (),
    ),
    (COMPARING, ExperimentProgressed(frame(name="another")), COMPARING, ()),
    (BETWEEN, ExperimentProgressed(END), AFTER, (ShowComparison(BOTH),)),
    (
        BETWEEN,
        ExperimentProgressed(END, covered=True),
        replace(AFTER, note="The comparison has ended: c shows it"),
        (Say("The comparison has ended: c shows it on the main screen."),),
    ),
    (
        BETWEEN,
        ExperimentProgressed(replace(END, comparable=False, done=1, fault="its process died")),
        replace(
            AFTER,
            progress=replace(END, comparable=False, done=1, fault="its process died"),
            note="The comparison has nothing to compare: fewer than two variants have a complete run",
        ),
        (Refuse("The comparison is incomplete, 1 of 12 runs: its process died"),),
    ),
    (
        replace(BETWEEN, stopping=True, intent=Then.QUIT),
        ExperimentProgressed(END),
        replace(AFTER, stopping=True, left=True),
        (Leave(result=ONE),),
    ),
    (
        replace(COMPARING, stopping=True, intent=Then.QUIT),
        ExperimentProgressed(END),
        replace(QUITTING, experiment_run=ONE, progress=END),
        (Stop(ONE),),
    ),
    (
        AFTER,
        ComparisonRead(BOTH, ("A is faster.",)),
        replace(AFTER, sentences=("A is faster.", str(BOTH.folder))),
        (),
    ),
    (OVER, ComparisonRead(BOTH, ("A is faster.",)), OVER, ()),
    (
        replace(AFTER, sentences=("A is faster.",)),
        QuitPressed(),
        replace(AFTER, sentences=("A is faster.",), left=True),
        (Leave(("A is faster.",)),),
    ),
]


@pytest.mark.parametrize("row", EXPERIMENTS)
def test_an_experiment(row: Row) -> None:
    check(*row)


@pytest.mark.parametrize(
    ("session", "hint"),
    [
        (IDLE, ""),
        (RUNNING, ""),
        (STOPPING, ""),
        (LAUNCHING, "Starting gunicorn, sync …"),
        (replace(LAUNCHING, stopping=True), "Stopping gunicorn, sync as soon as it has started …"),
        (replace(LAUNCHING, intent=Then.LEAVE), "Leaving as soon as gunicorn, sync has started …"),
        (NEXT, "Stopping gunicorn, sync …"),
        (replace(COMPARING, stopping=True), "Stopping the comparison …"),
        (replace(IDLE, launch=COMPARISON), "Starting the comparison of sync against preload …"),
        (Session(intent=Then.RUN_SELECTED), "Reading profiles …; the selected one runs next"),
    ],
)
def test_the_status_line_says_what_is_being_prepared(session: Session, hint: str) -> None:
    assert session.hint == hint


@pytest.mark.parametrize(
    ("asked", "title", "text"),
    [
        (
            REPLACE,
            "A run is in progress",
            "gunicorn, sync is running. Two runs at once would disturb each other.",
        ),
        (BUSY, "Another run is in progress", f"This machine is in use by {IN_USE}."),
        (ELSEWHERE, "Another machine", "http://192.0.2.1/ is on another machine. Send load to it?"),
        (STOP_ALL, "Stop", "Stop the whole comparison, not only this run?"),
        (QUIT, "Quit", "gunicorn, sync is running."),
        (question(COMPARING, QuitPressed()), "Quit", "A comparison is running, run 1 of 12."),
        (question(LAUNCHING, QuitPressed()), "Quit", "Gunicorn, sync is starting."),
    ],
)
def test_what_is_asked(asked: Question, title: str, text: str) -> None:
    assert (asked.title, asked.text) == (title, text)


def test_a_profile_alone_is_compared_with_itself() -> None:
    asked = question(RUNNING, ComparePressed((SYNC,)))
    assert isinstance(asked.wanted, ComparisonOf)
    assert asked.wanted.labels == ("sync", "sync (2)")
    assert asked.text.startswith(
        "Only gunicorn, sync is marked. Compared with itself, it shows how much is noise."
    )
    assert "gunicorn, sync is running and will be stopped first." in asked.text


class World:
    """The processes and the person: what may happen next, given what the session has asked for."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.session = Session()
        self.jobs: list[Launch | Stop] = []
        """Asked for and not answered: they are worked off one by one, as the console's thread does."""
        self.alive: list[Record] = []
        self.experiments: list[ExperimentRecord] = []
        self.questions: list[Question] = []
        self.launches = 0

    def take(self, event: Event) -> None:
        before = self.session
        self.session, effects = after(before, event)
        for effect in effects:
            by_a_person = isinstance(event, RunPressed | Answered | ProfilesKnown | QuitPressed)
            if isinstance(effect, Launch):
                assert by_a_person or before.intent == effect.wanted
                assert before.launch is None or isinstance(event, LaunchFailed | MachineBusy)
            if isinstance(effect, Leave):
                assert by_a_person or before.intent in (Then.QUIT, Then.LEAVE)
            if isinstance(event, StopRefused):
                assert isinstance(effect, Refuse)
            if isinstance(effect, Launch | Stop):
                self.jobs.append(effect)
            if isinstance(effect, Ask):
                self.questions = [effect.question]
        self.check()

    def check(self) -> None:
        """An intent is pending only while something is under way that decides about it."""
        session = self.session
        match session.intent:
            case None:
                pass
            case Then.RUN_SELECTED:
                assert session.reading
            case Then.LEAVE:
                assert session.launch is not None
            case _:
                assert session.stopping
                assert session.launch is not None or session.experiment is not None or session.running
        if session.launch is not None and not session.left:
            assert [job for job in self.jobs if isinstance(job, Launch)]

    def work(self) -> None:
        """One job comes to its end, well or badly."""
        job = self.jobs.pop(0)
        if isinstance(job, Stop):
            if self.random.random() < 0.3:
                self.take(StopRefused(job.record, DEAF))
            elif job.record in self.experiments:
                self.end_experiment()
            elif job.record in self.alive:
                self.end_run(job.record)  # type: ignore[arg-type]
            return
        self.launches += 1
        match self.random.randrange(4):
            case 0:
                self.take(LaunchFailed("no"))
            case 1:
                self.take(MachineBusy(IN_USE))
            case 2 if isinstance(job.wanted, ComparisonOf):
                self.experiments = [BOTH]
                self.take(Launched(BOTH))
            case _ if isinstance(job.wanted, RunOf):
                run = Record(Path(f"/runs/{self.launches}"))
                self.alive.append(run)
                self.take(Launched(run))
            case _:
                self.take(LaunchFailed("no"))

    def end_run(self, run: Record | None = None) -> None:
        if run is None and self.alive:
            run = self.random.choice(self.alive)
        if run is not None:
            self.alive.remove(run)
            self.take(ended(run))

    def end_experiment(self) -> None:
        self.experiments = []
        self.take(ExperimentProgressed(replace(END, comparable=bool(self.random.randrange(2)))))

    def begin_its_run(self) -> None:
        if self.experiments:
            run = Record(Path(f"/runs/of-it-{self.random.randrange(99)}"))
            self.alive.append(run)
            self.take(ExperimentProgressed(frame(run=run.name)))

    def answer(self) -> None:
        if self.questions:
            asked = self.questions.pop()
            keys = [key for key, _ in asked.choices]
            self.take(Answered(asked, self.random.choice([*keys, None])))

    def show(self) -> None:
        """A frame of the run that is shown: one that isn't alive has ended."""
        run = self.session.run
        if run is not None:
            alive = run in self.alive
            self.take(RunProgressed(run.name, SYNC.title, SYNC.name, running=alive, has_result=True))

    def live(self) -> None:
        """One thing happens."""
        choose = self.random.choice
        keys: list[Callable[[], Event]] = [
            lambda: RunPressed(choose((SYNC, PRELOAD, NGINX, None))),
            lambda: ComparePressed(choose(((SYNC,), (SYNC, PRELOAD), ()))),
            lambda: choose((StopPressed(), AttachPressed(), QuitPressed())),
            lambda: RunOpened(choose((ONE, TWO, *self.alive))),
            lambda: ProfilesKnown(choose((SYNC, None))),
            lambda: Found(choose((TWO, BOTH))),
        ]
        chance = self.random.random()
        if chance < 0.4:
            self.take(choose(keys)())
        elif chance < 0.6:
            self.answer()
        elif chance < 0.8 and self.jobs:
            self.work()
        else:
            choose((self.show, self.end_run, self.begin_its_run))()

    def settle(self) -> None:
        """Nobody presses a key any more, and everything comes to its end."""
        self.take(ProfilesKnown(SYNC))
        for _ in range(50):
            while self.jobs:
                self.work()
            while self.alive:
                self.end_run()
            if self.session.experiment is not None:
                self.end_experiment()
            self.show()


@pytest.mark.parametrize("seed", range(40))
def test_whatever_happens_no_intent_is_left_over(seed: int) -> None:
    for part in range(25):
        world = World(seed * 1000 + part)
        for _ in range(60):
            world.live()
            if world.session.left:
                break
        world.settle()
        session = world.session
        assert session.left or (session.intent, session.launch, session.stopping) == (None, None, False)
        assert not world.jobs


def test_what_an_untrusted_profile_would_start_is_shown_in_plain_characters() -> None:
    assert UNTRUSTED.text == "/srv/mine.toml: not trusted yet. It would start:\n  odd: /bin/sh -c 'echo ?[8m'"
    assert UNTRUSTED.choices[0][0] == "n"
    many = question(LAUNCHING, replace(FROM_ELSEWHERE, commands=tuple("x" * 300 for _ in range(11))))
    assert many.text.splitlines()[1] == "  " + "x" * 199 + "…"
    assert many.text.splitlines()[-1] == "  and 3 more"
