"""What the console follows, what is pending and what it refuses: a state machine with no screen, files or clock.

``after(session, event)`` returns the next session and the effects that the app carries out. At most one intent is
pending, and only while it waits for something to end. If a stop is refused or a launch fails, the intent is dropped.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Any

from tui.console.experiment.frame import ExperimentFrame
from tui.console.profiles.rows import ProfileRow, runs_words
from tui.experiment.record import ExperimentRecord
from tui.experiment.variants import distinct
from tui.record.record import Record
from tui.system.text import plain

Kept = Record | ExperimentRecord

STARTING = "a run is starting"
RUNS = {
    "6": "intervals of 95 % and a verdict",
    "3": "the range only, no verdict",
    "9": "narrower intervals",
}
"""How many runs per variant the user can choose: the key, and what that number gives."""


MOST_COMMANDS = 8
"""How many command lines a question about trust shows."""
LONGEST_COMMAND = 200
"""Characters of each."""


@dataclass(frozen=True, slots=True)
class RunOf:
    """A request to run a profile."""

    row: ProfileRow
    concurrent: bool = False
    """Even if another run is using the machine."""
    remote: bool = False
    """Even if that puts a load on another machine."""
    trusted: tuple[str, ...] = ()
    """The digests of the files that the user has just agreed to."""

    @property
    def title(self) -> str:
        return self.row.title


@dataclass(frozen=True, slots=True)
class ComparisonOf:
    """A request to compare profiles."""

    rows: tuple[ProfileRow, ...]
    runs: int = 0
    """Per variant."""
    concurrent: bool = False
    trusted: tuple[str, ...] = ()

    @property
    def labels(self) -> tuple[str, ...]:
        """The profiles' names; one that is compared with itself gets a number."""
        labels: list[str] = []
        for row in self.rows:
            labels.append(distinct(row.name, labels))
        return tuple(labels)

    @property
    def title(self) -> str:
        return f"the comparison of {' against '.join(self.labels)}"


Wanted = RunOf | ComparisonOf


class Then(Enum):
    """A pending intent other than a launch."""

    RUN_SELECTED = auto()
    """Run the selected profile once the profiles are read."""
    QUIT = auto()
    """Quit when the run or experiment that is stopping has ended."""
    LEAVE = auto()
    """Quit when the launch has succeeded, and let it run."""


class About(Enum):
    """What a question decides."""

    REPLACE = auto()
    AGREE = auto()
    HOW_MANY = auto()
    STOP = auto()
    QUIT = auto()


@dataclass(frozen=True, slots=True)
class Question:
    """A question to the user, and its answers by key; enter picks the first."""

    about: About
    title: str
    text: str
    choices: tuple[tuple[str, str], ...]
    wanted: Wanted | None = None
    """What a positive answer starts."""


# What happens. ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ProfilesKnown:
    """The profiles have been read, and this one is selected."""

    row: ProfileRow | None


@dataclass(frozen=True, slots=True)
class RunPressed:
    """Run the selected profile."""

    row: ProfileRow | None


@dataclass(frozen=True, slots=True)
class ComparePressed:
    """Compare the marked profiles."""

    rows: tuple[ProfileRow, ...]


@dataclass(frozen=True, slots=True)
class StopPressed:
    """Stop the active run or experiment."""


@dataclass(frozen=True, slots=True)
class AttachPressed:
    """Follow what was found."""


@dataclass(frozen=True, slots=True)
class QuitPressed:
    """Quit the console."""


@dataclass(frozen=True, slots=True)
class SignalCame:
    """A signal asked the console to quit, or the terminal has closed."""

    number: int


@dataclass(frozen=True, slots=True)
class RunOpened:
    """Show a kept run."""

    record: Record


@dataclass(frozen=True, slots=True)
class Answered:
    """A question was answered; None dismissed it."""

    question: Question
    key: str | None


@dataclass(frozen=True, slots=True)
class Found:
    """Something is running that another process started."""

    record: Kept
    profile: str = ""
    """The name of the run's profile, if its record has it."""


@dataclass(frozen=True, slots=True)
class Launched:
    """The process of a run or an experiment has started, and writes into this record."""

    record: Kept


@dataclass(frozen=True, slots=True)
class LaunchFailed:
    """The launch failed."""

    reason: str


@dataclass(frozen=True, slots=True)
class MachineBusy:
    """The launch failed because someone else's run is using this machine."""

    by: str
    """Who is running what, in words."""


@dataclass(frozen=True, slots=True)
class OtherMachine:
    """The launch failed because the load would go to another machine and the user hasn't agreed to that."""

    target: str
    """What would run on which machine, in words."""


@dataclass(frozen=True, slots=True)
class Untrusted:
    """The launch failed because the user hasn't agreed to files from elsewhere that say what is started."""

    places: tuple[str, ...]
    commands: tuple[str, ...]
    """What would be started, one command line each."""
    digests: tuple[str, ...]
    """What stands for the files as they are."""


@dataclass(frozen=True, slots=True)
class StopRefused:
    """A run or experiment that was asked to stop is still running and doesn't respond."""

    record: Kept
    reason: str


@dataclass(frozen=True, slots=True)
class RunProgressed:
    """A new frame of the run that is followed."""

    run: str
    title: str
    profile: str
    running: bool
    has_result: bool


@dataclass(frozen=True, slots=True)
class ExperimentProgressed:
    """A new frame of the experiment that is followed."""

    frame: ExperimentFrame
    covered: bool = False
    """Whether something covers the main screen."""


@dataclass(frozen=True, slots=True)
class ComparisonRead:
    """A comparison is on the screen; these are its sentences."""

    record: ExperimentRecord
    sentences: tuple[str, ...]


Event = (
    ProfilesKnown
    | RunPressed
    | ComparePressed
    | StopPressed
    | AttachPressed
    | QuitPressed
    | SignalCame
    | RunOpened
    | Answered
    | Found
    | Launched
    | LaunchFailed
    | MachineBusy
    | OtherMachine
    | Untrusted
    | StopRefused
    | RunProgressed
    | ExperimentProgressed
    | ComparisonRead
)


# What the app should do. ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Launch:
    """Start it when the run ``follows`` has ended."""

    wanted: Wanted
    follows: Record | None


@dataclass(frozen=True, slots=True)
class Stop:
    """Ask it to stop and summarise."""

    record: Kept


@dataclass(frozen=True, slots=True)
class Follow:
    """Show it from now on; ``fresh``: it was just launched."""

    record: Kept
    fresh: bool = False


@dataclass(frozen=True, slots=True)
class Ask:
    question: Question


@dataclass(frozen=True, slots=True)
class Say:
    text: str


@dataclass(frozen=True, slots=True)
class Refuse:
    """Say why something can't be done."""

    reason: str


@dataclass(frozen=True, slots=True)
class Select:
    """Select the profile with this name; ``override``: even if the user has selected another one."""

    profile: str
    override: bool = True


@dataclass(frozen=True, slots=True)
class ShowComparison:
    """Show this comparison; None is the newest."""

    record: ExperimentRecord | None


@dataclass(frozen=True, slots=True)
class ComeBack:
    """What is still running when the console quits; None if its record isn't known yet."""

    words: str
    record: Kept | None


@dataclass(frozen=True, slots=True)
class Leave:
    """Quit, and print a farewell to the terminal."""

    words: tuple[str, ...] = ()
    come_back: ComeBack | None = None
    found: Record | None = None
    """If it is still running, also print how to come back to it."""
    result: Record | None = None
    """Print its result."""
    status: int = 0


Effect = Launch | Stop | Follow | Ask | Say | Refuse | Select | ShowComparison | Leave


@dataclass(frozen=True, slots=True)
class Session:
    """All that decides what a key or a message does."""

    reading: bool = True
    """The profiles haven't been read yet."""
    run: Record | None = None
    """The run that is shown."""
    running: bool = False
    """It is running, or nothing is known about it yet."""
    fresh: bool = False
    """It was launched by this console or its experiment, not opened from the history."""
    title: str | None = None
    """From its frames; None before the first."""
    has_result: bool = False
    experiment: ExperimentRecord | None = None
    """The running experiment that is followed."""
    progress: ExperimentFrame | None = None
    """The latest frame of the experiment that is or was followed."""
    experiment_run: Record | None = None
    """The newest run of that experiment."""
    found: Kept | None = None
    """What ``a`` shows."""
    launch: Wanted | None = None
    """What is being launched."""
    stopping: bool = False
    """The active run or experiment was asked to stop, or will be as soon as it has started."""
    intent: Wanted | Then | None = None
    """What to do when that has ended."""
    note: str = ""
    """The status line's text when nothing is being prepared."""
    sentences: tuple[str, ...] = ()
    """The sentences of the comparison that was followed."""
    left: bool = False
    """The console is quitting: all events are ignored."""

    @property
    def in_experiment(self) -> bool:
        """An experiment is being launched or followed."""
        return self.experiment is not None or isinstance(self.launch, ComparisonOf)

    @property
    def under_way(self) -> bool:
        """Something is being launched or followed that hasn't ended."""
        return self.launch is not None or self.experiment is not None or self.running

    @property
    def kind(self) -> str:
        """The kind of experiment: "comparison" or "suite"."""
        return self.experiment.kind if self.experiment else "comparison"

    @property
    def subject(self) -> str:
        """The name of what is running, for questions."""
        return self.launch.title if self.launch else self.title or "A run"

    @property
    def hint(self) -> str:
        """The status line's text about what is being prepared."""
        if self.intent is Then.RUN_SELECTED:
            return "Reading profiles …; the selected one runs next"
        if self.launch and self.intent is Then.LEAVE:
            return f"Leaving as soon as {self.launch.title} has started …"
        if self.launch:
            how = " as soon as it has started" if self.stopping else ""
            return f"{'Stopping' if self.stopping else 'Starting'} {self.launch.title}{how} …"
        if self.stopping and self.experiment:
            return f"Stopping the {self.kind} …"
        if self.stopping and self.intent is not None:
            return f"Stopping {self.subject} …"
        return self.note


Step = tuple[Session, tuple[Effect, ...]]


def after(session: Session, event: Event) -> Step:
    """The session after an event, and the effects to carry out, in this order."""
    if isinstance(event, SignalCame):
        return _signal(session, event)
    if session.left:
        return session, ()
    match event:
        case ProfilesKnown(row):
            return _profiles_known(session, row)
        case RunPressed(row):
            return _run_pressed(session, row)
        case ComparePressed(rows):
            return _compare_pressed(session, rows)
        case StopPressed():
            return _stop_pressed(session)
        case AttachPressed():
            return _attach_pressed(session)
        case QuitPressed():
            return _quit_pressed(session)
        case RunOpened(record):
            return _run_opened(session, record)
        case Answered(question, key):
            return _answered(session, question, key)
        case Found(record, profile):
            return _found(session, record, profile)
        case Launched(record):
            return _launched(session, record)
        case LaunchFailed(reason):
            return _launch_failed(session, reason)
        case MachineBusy(by):
            return _machine_busy(session, by)
        case OtherMachine(target):
            return _other_machine(session, target)
        case Untrusted():
            return _untrusted(session, event)
        case StopRefused():
            return _stop_refused(session, event)
        case RunProgressed():
            return _run_progressed(session, event)
        case ExperimentProgressed(frame, covered):
            return _experiment_progressed(session, frame, covered=covered)
        case ComparisonRead(record, sentences):
            return _comparison_read(session, record, sentences)


def _step(session: Session, *effects: Effect, **changes: Any) -> Step:
    return replace(session, **changes), effects


# Keys. ------------------------------------------------------------------------------------------------------------


def _run_pressed(session: Session, row: ProfileRow | None) -> Step:
    if session.in_experiment:
        return _step(session, Refuse(f"a {session.kind} is running; s stops it"))
    if session.reading and session.intent in (None, Then.RUN_SELECTED):
        return _step(session, intent=Then.RUN_SELECTED)
    if why := _pending(session):
        return _step(session, Refuse(why))
    if row is None:
        return _step(session, Refuse("there is no profile to run; stackdyno --profiles DIR reads yours"))
    if row.state != "ready":
        return _step(session, Refuse(row.refusal))
    if session.running:
        text = f"{session.subject} is running. Two runs at once would disturb each other."
        choices = (("y", f"stop it, then run {row.title}"), ("n", "let it continue"))
        return _step(session, Ask(Question(About.REPLACE, "A run is in progress", text, choices, RunOf(row))))
    return _launch(session, RunOf(row))


def _profiles_known(session: Session, row: ProfileRow | None) -> Step:
    session = replace(session, reading=False)
    if session.intent is Then.RUN_SELECTED:
        return _run_pressed(replace(session, intent=None), row)
    return session, ()


def _compare_pressed(session: Session, rows: tuple[ProfileRow, ...]) -> Step:
    if session.in_experiment:
        return _step(session, Refuse(f"a {session.kind} is running; s stops it"))
    if not rows:
        return _step(session, ShowComparison(None))
    if why := _pending(session):
        return _step(session, Refuse(why))
    if len(rows) == 1:
        text = f"Only {rows[0].title} is marked. Compared with itself, it shows how much is noise."
        rows *= 2
    else:
        text = f"{' against '.join(row.title for row in rows)}."
    if session.running:
        text += f" {session.subject} is running and will be stopped first."
    text += "\n\nEach run starts its stack afresh, one stack at a time, in turn. How many runs of each?"
    choices = tuple((key, f"{runs_words(rows, int(key))}: {what}") for key, what in RUNS.items())
    return _step(session, Ask(Question(About.HOW_MANY, "Compare", text, choices, ComparisonOf(rows))))


def _stop_pressed(session: Session) -> Step:
    if session.in_experiment:
        text = f"Stop the whole {session.kind}, not only this run?"
        choices = (("n", "let it continue"), ("y", "stop it; complete runs are kept"))
        return _step(session, Ask(Question(About.STOP, "Stop", text, choices)))
    if session.launch:
        intent = Then.QUIT if session.intent is Then.LEAVE else session.intent
        return _step(session, stopping=True, intent=intent)
    if session.running and session.run:
        said = Say("Stopping; what was measured will be summarised.")
        return _step(session, Stop(session.run), said, stopping=True)
    return session, ()


def _attach_pressed(session: Session) -> Step:
    found = session.found
    if found is None:
        return session, ()
    if session.launch or _waits_for_the_run(session):
        return _step(session, Refuse(_pending(session)))
    return _follow(session, found)


def _quit_pressed(session: Session) -> Step:
    if not session.under_way:
        return _leave(session)
    if session.experiment:
        frame = session.progress
        place = f", run {frame.number} of {frame.runs}" if frame else ""
        text = f"A {session.kind} is running{place}."
        choices = (
            ("s", "stop it, wait for its current run to end, and quit"),
            ("l", "let it continue, and quit"),
            ("c", "stay here"),
        )
    else:
        subject = session.subject[:1].upper() + session.subject[1:] if session.launch else session.subject
        text = f"{subject} is {'starting' if session.launch else 'running'}."
        choices = (
            ("s", "stop it, wait for its summary, and quit"),
            ("l", "let it run, and quit"),
            ("c", "stay here"),
        )
    return _step(session, Ask(Question(About.QUIT, "Quit", text, choices)))


def _signal(session: Session, event: SignalCame) -> Step:
    """Quit at once; whatever is running outlives the console. A second signal only speeds this up."""
    come_back = None if session.left else _come_back(session)
    leave = Leave(come_back=come_back, status=128 + event.number)
    return _step(session, leave, left=True, intent=None)


def _run_opened(session: Session, record: Record) -> Step:
    """Show a kept run; ``a`` returns to the one that is running."""
    if record == session.run:
        return session, ()
    if _waits_for_the_run(session):
        return _step(session, Refuse(_pending(session)))
    seen_running = session.running and not session.launch and (session.fresh or session.title is not None)
    other = session.run if seen_running else session.found
    session, effects = _follow(session, record)
    if other is None or other == record:
        return session, effects
    said = Say(f"{other.name} is still running: a shows it again")
    return _step(session, *effects, said, found=other)


def _answered(session: Session, question: Question, key: str | None) -> Step:
    """Apply the answer to what is active now: the run may have ended while the question was open."""
    match question.about, key:
        case About.REPLACE, "y":
            return _stop_then_start(session, question.wanted)
        case About.HOW_MANY, str(runs) if runs in RUNS and isinstance(question.wanted, ComparisonOf):
            return _stop_then_start(session, replace(question.wanted, runs=int(runs)))
        case About.AGREE, "y" if question.wanted is not None:
            if why := _pending(session):
                return _step(session, Refuse(why))
            return _launch(session, question.wanted)
        case About.STOP, "y" if session.in_experiment:
            return _stop_then(session, Then.QUIT if session.intent is Then.LEAVE else session.intent)
        case About.QUIT, "s":
            return _stop_then(session, Then.QUIT)
        case About.QUIT, "l" if session.launch:
            return _step(session, intent=Then.LEAVE, stopping=False)
        case About.QUIT, "l":
            return _leave(session)
        case About.QUIT, "c" if session.intent in (Then.QUIT, Then.LEAVE):
            return _step(session, intent=None, stopping=session.stopping and not session.launch)
    return session, ()


# What the processes report. ----------------------------------------------------------------------------------------


def _found(session: Session, record: Kept, profile: str) -> Step:
    if session.run is not None or session.under_way:
        return session, ()
    if isinstance(record, ExperimentRecord):
        note = f"A {record.kind} started elsewhere is running: a shows it"
    else:
        note = f"A run started elsewhere is in progress, {record.name}: a shows it"
    effects = (Select(profile, override=False),) if profile else ()
    return _step(session, *effects, found=record, note=note)


def _launched(session: Session, record: Kept) -> Step:
    wanted, leaving, stopping = session.launch, session.intent is Then.LEAVE, session.stopping
    alone = wanted is not None and not wanted.concurrent
    if alone and isinstance(session.found, Record):  # it had ended, or the machine would have been busy
        session = replace(session, found=None)
    session, effects = _follow(replace(session, launch=None), record, fresh=True)
    if leaving:
        session, more = _leave(session)
        return session, (*effects, *more)
    if stopping:
        return _step(session, *effects, Stop(record), stopping=True)
    return session, effects


def _launch_failed(session: Session, reason: str) -> Step:
    intent = session.intent
    session = replace(session, launch=None, stopping=False, intent=None)
    if intent in (Then.QUIT, Then.LEAVE):
        return _leave(session, reason)
    if not isinstance(intent, Wanted):
        return _step(session, Refuse(reason), intent=intent)
    if session.under_way:
        return _step(session, Refuse(f"{reason}; {intent.title} won't start"))
    session, effects = _launch(session, intent)
    return session, (Refuse(reason), *effects)


def _machine_busy(session: Session, by: str) -> Step:
    wanted = session.launch
    if wanted is None:
        return session, ()
    what = "compare" if isinstance(wanted, ComparisonOf) else "run"
    choices = (("y", f"{what} at the same time (they disturb each other)"), ("n", f"don't {what}"))
    text = f"This machine is in use by {by}."
    question = Question(
        About.AGREE, "Another run is in progress", text, choices, replace(wanted, concurrent=True)
    )
    return _not_launched_yet(session, question, f"{by} is still running: nothing was started")


def _other_machine(session: Session, target: str) -> Step:
    if not isinstance(session.launch, RunOf):
        return session, ()
    choices = (("y", "send the load"), ("n", "don't"))
    text = f"{target}. Send load to it?"
    wanted = replace(session.launch, remote=True)
    question = Question(About.AGREE, "Another machine", text, choices, wanted)
    return _not_launched_yet(session, question, f"{target}: nothing was started")


def _untrusted(session: Session, event: Untrusted) -> Step:
    wanted = session.launch
    if wanted is None:
        return session, ()
    places = ", ".join(event.places)
    shown = [_shown(command) for command in event.commands[:MOST_COMMANDS]]
    if more := len(event.commands) - len(shown):
        shown.append(f"and {more} more")
    lines = (f"{places}: not trusted yet. It would start:", *(f"  {line}" for line in shown))
    choices = (("n", "don't start it"), ("y", "trust it, and start it"))
    agreed = replace(wanted, trusted=event.digests)
    question = Question(About.AGREE, "A profile from elsewhere", "\n".join(lines), choices, agreed)
    return _not_launched_yet(session, question, f"{places}: not trusted yet: nothing was started")


def _shown(command: str) -> str:
    """In plain characters, and not longer than a few lines."""
    clean = plain(command)
    return clean if len(clean) <= LONGEST_COMMAND else clean[: LONGEST_COMMAND - 1] + "…"


def _not_launched_yet(session: Session, question: Question, words: str) -> Step:
    """Ask, unless the launch is no longer wanted."""
    if session.stopping or session.intent is Then.LEAVE:
        return _launch_failed(session, words)
    return _step(session, Ask(question), launch=None)


def _stop_refused(session: Session, event: StopRefused) -> Step:
    if not session.stopping or session.launch or event.record != (session.experiment or session.run):
        return _step(session, Refuse(event.reason))
    dropped = ""
    if isinstance(session.intent, Wanted):
        dropped = f"; {session.intent.title} won't start"
    elif session.intent is Then.QUIT:
        dropped = "; the console stays open"
    intent = session.intent if session.intent is Then.RUN_SELECTED else None
    return _step(session, Refuse(event.reason + dropped), stopping=False, intent=intent)


def _run_progressed(session: Session, event: RunProgressed) -> Step:
    if session.run is None or event.run != session.run.name:
        return session, ()
    first = session.title is None and not session.fresh
    session = replace(session, title=event.title, running=event.running, has_result=event.has_result)
    session, effects = (session, ()) if event.running else _ended(session)
    return session, ((Select(event.profile),) if first else ()) + effects


def _experiment_progressed(session: Session, frame: ExperimentFrame, *, covered: bool) -> Step:
    record = session.experiment
    if record is None or frame.name != record.name:
        return session, ()
    session = replace(session, progress=frame)
    effects: tuple[Effect, ...] = ()
    if frame.run is not None:
        session, effects = _follow_its_run(session, Record(record.runs / frame.run))
    if frame.running:
        return session, effects
    session = replace(session, experiment=None)
    if session.intent is Then.QUIT:
        its_run = session.running and session.run == session.experiment_run  # as when its process was killed
        session, more = _stop_then(session, Then.QUIT) if its_run else _leave(session)
        return session, effects + more
    if frame.fault is not None:
        how_far = f"{frame.done} of {frame.runs} runs"
        effects += (Refuse(f"The {frame.kind} is incomplete, {how_far}: {frame.fault}"),)
    if not frame.comparable:
        few = "fewer than two variants have a complete run"
        session = replace(session, note=f"The {frame.kind} has nothing to compare: {few}")
    elif frame.kind != "comparison":
        effects += (Say(f"The {frame.kind} has ended."),)
    elif covered:
        session = replace(session, note="The comparison has ended: c shows it")
        effects += (Say("The comparison has ended: c shows it on the main screen."),)
    else:
        effects += (ShowComparison(record),)
    session, more = _ended(session)
    return session, effects + more


def _follow_its_run(session: Session, run: Record) -> Step:
    """Show the experiment's new run, unless the user is looking at another one."""
    before, session = session.experiment_run, replace(session, experiment_run=run)
    if run == before:
        return session, ()
    if session.run is None or before is None or session.run == before:
        return _follow(session, run, fresh=True)
    return _step(session, found=run)


def _comparison_read(session: Session, record: ExperimentRecord, sentences: tuple[str, ...]) -> Step:
    """Keep a comparison's sentences to print on quitting, if it is the one that was followed."""
    if session.progress is None or record.name != session.progress.name:
        return session, ()
    return _step(session, sentences=(*sentences, str(record.folder)))


# Steps that several events share. ---------------------------------------------------------------------------------


def _pending(session: Session) -> str:
    """Why nothing else can be started now; empty if it can."""
    if isinstance(session.intent, Wanted) and not session.launch:
        return f"{session.subject} is stopping; {session.intent.title} starts next"
    if session.intent is Then.QUIT and not session.launch:
        return f"{session.subject} is stopping; the console quits next"
    if session.experiment:
        return f"a {session.kind} is running; s stops it"
    return STARTING if session.launch else ""


def _waits_for_the_run(session: Session) -> bool:
    """Whether an intent waits for the shown run to end, so that the run has to stay on the screen."""
    waits = session.intent is Then.QUIT or isinstance(session.intent, Wanted)
    return waits and not session.launch and not session.experiment


def _stop_then_start(session: Session, wanted: Wanted | None) -> Step:
    if session.experiment or (_waits_for_the_run(session)):
        return _step(session, Refuse(_pending(session)))
    return _stop_then(session, wanted)


def _stop_then(session: Session, intent: Wanted | Then | None) -> Step:
    """Stop what is active; when that has ended, or if it already has, carry out the intent."""
    session = replace(session, intent=intent)
    if session.launch:
        return _step(session, stopping=True)
    under_way = session.experiment or (session.run if session.running else None)
    if under_way is None:
        return _ended(session)
    return _step(session, Stop(under_way), stopping=True)


def _ended(session: Session) -> Step:
    """Something has ended; if nothing else is active, carry out the pending intent."""
    if session.under_way:
        return session, ()
    session = replace(session, stopping=False)
    if isinstance(session.intent, Wanted):
        return _launch(session, session.intent)
    return _leave(session) if session.intent is Then.QUIT else (session, ())


def _launch(session: Session, wanted: Wanted) -> Step:
    sentences = () if isinstance(wanted, ComparisonOf) else session.sentences
    launch = Launch(wanted, follows=session.run)
    return _step(session, launch, launch=wanted, intent=None, stopping=False, sentences=sentences)


def _follow(session: Session, record: Kept, *, fresh: bool = False) -> Step:
    found = None if session.found == record else session.found
    if isinstance(record, ExperimentRecord):
        return _step(
            session,
            Follow(record, fresh),
            experiment=record,
            progress=None,
            experiment_run=None,
            found=found,
            stopping=False,
            note="",
        )
    return _step(
        session,
        Follow(record, fresh),
        run=record,
        running=True,
        fresh=fresh,
        title=None,
        has_result=False,
        found=found,
        stopping=session.stopping and (session.launch is not None or session.experiment is not None),
        note="",
    )


def _come_back(session: Session) -> ComeBack | None:
    """What is still running when the console quits."""
    if session.experiment:
        return ComeBack(f"The {session.kind} continues", session.experiment)
    if session.launch:
        what = "comparison" if isinstance(session.launch, ComparisonOf) else "run"
        return ComeBack(f"A {what} is starting", None)
    return ComeBack("The run continues", session.run) if session.running else None


def _leave(session: Session, *words: str) -> Step:
    """Quit, printing how to come back to what is running, or else the result of what was shown."""
    leave = Leave(words)
    if not words and (come_back := _come_back(session)):
        leave = Leave(come_back=come_back)
    elif not words and session.sentences and session.run == session.experiment_run:
        leave = Leave(session.sentences)  # the result of its runs; the last one is on the screen
    elif not words:
        found = session.found if isinstance(session.found, Record) else None
        leave = Leave(found=found, result=session.run if session.has_result else None)
    return _step(session, leave, left=True, intent=None)
