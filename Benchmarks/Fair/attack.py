"""What an attack is, and what is measured of it."""

import dataclasses

from Conductor.servers import Broken

from . import client
from .daemon import longest_turn
from .fill import fill

OVER_MILLISECONDS_MAX = 5
PAUSE_MILLISECONDS_MAX = 10
BUSY_MIN = 0.5  # of the time: a loop that idles cannot be what keeps an attack from its numbers
HELD_MIN = 0.99  # of the streams that the attack has open, in the figures of the daemon
MEGABYTE = 2**20


@dataclasses.dataclass(frozen=True)
class Figure:
    """What was measured, with its aim."""

    name: str
    value: float
    at_most: float | None = None
    at_least: float | None = None

    @property
    def is_met(self):
        return (self.at_most is None or self.value <= self.at_most) and (
            self.at_least is None or self.value >= self.at_least)


@dataclasses.dataclass
class Measurement:
    """All that was seen of an attack on one store."""

    baseline: tuple  # the client's times and complaints without the attack
    beside: tuple
    before: object  # figures of the daemon
    after: object
    outcome: object  # of the attack's requests
    seconds: float
    cpu: float  # of one processor
    waited: float  # of the time, for a processor
    peak_bytes: int
    bound_bytes: int
    start_bytes: int
    end_bytes: int = 0
    reloads: int = 0

    def times(self, of, is_ordinary=True):
        return sorted(value for kind, values in of[0].items() if kind.is_ordinary == is_ordinary for value in values)

    @property
    def busy(self):
        """The share of time that the loops spent in their turns."""
        return self.increase("belfry_http_loop_turn_seconds_sum") / (self.after.at - self.before.at)

    def increase(self, figure):
        """By how much the figures of this name have risen, all labels together."""
        def total(scrape):
            return sum(value for name, value in scrape.figures.items() if name.partition("{")[0] == figure)
        return total(self.after) - total(self.before)


def share(sorted_values, part):
    """A quantile."""
    return sorted_values[min(len(sorted_values) - 1, int(len(sorted_values) * part))]


class Attack:
    """One way of being greedy within all limits. An attack has either `wanted` connections that wait, or
    asks again and again."""

    name = ""
    title = ""
    settings = {}
    kinds = client.ORDINARY
    wanted = 0
    waves_min = 0  # that have settled when it is complete; then it goes on for some seconds
    small = {}  # what is less in the short form
    works = ()  # kinds of work in turns that it makes the daemon do, as `belfry_turns_total` names them

    def shrink(self):
        """Takes the short form."""
        for name, value in self.small.items():
            setattr(self, name, value)

    def topics(self):
        """Targets and bodies of the events that are there before."""
        return []

    def prepare(self, daemon):
        fill(daemon.port, self.topics())

    def waves(self):
        raise NotImplementedError

    def meanwhile(self, daemon, seconds):
        """What others do meanwhile, ten times a second. `seconds` is how long the attack is complete, None
        before."""

    def check(self, seen):
        """Raises where the attack was none. One that is not complete counts if the loop was too busy to
        let it."""
        if self.wanted:
            there = sum(value for name, value in seen.after.figures.items() if name.startswith("belfry_subscribers{"))
            missing = self.wanted - seen.outcome.opened - sum(seen.outcome.refused.values())
            if missing > 0 and seen.busy < BUSY_MIN:
                raise Broken(f"{missing} of {self.wanted} streams are missing, and the loop idles")
            if there < HELD_MIN * seen.outcome.held:
                raise Broken(f"{seen.outcome.held} streams are open, the daemon knows of {there:.0f}")
        elif seen.outcome.opened == 0 and seen.busy < BUSY_MIN:
            raise Broken("nothing was answered, and the loop idles")

    def running(self, seen):
        """The proof that it ran, in words."""
        outcome = seen.outcome
        if self.wanted:
            parts = [f"{outcome.opened:,} of {self.wanted:,} streams open"]
        else:
            parts = [f"{outcome.asked:,} requests", f"{outcome.whole:,} answered", f"{outcome.bytes / MEGABYTE:,.0f} MiB read"]
            parts += [f"{outcome.cut:,} closed before their end"] if outcome.cut else []
        parts += [f"{outcome.lost:,} closed by the daemon"] if outcome.lost else []
        parts += [f"{count:,} × {refusal}" for refusal, count in outcome.refused.most_common(2)]
        return ", ".join(parts)

    def figures(self, seen):
        """What the aims are on."""
        return self.fairness(seen) + self.completeness(seen)

    def fairness(self, seen):
        over = share(seen.times(seen.beside), 0.999) - share(seen.times(seen.baseline), 0.999)
        return [Figure("99.9th percentile, ms over that without", over, at_most=OVER_MILLISECONDS_MAX),
                Figure("longest turn of the loop, ms", self._pause(seen), at_most=PAUSE_MILLISECONDS_MAX)]

    def completeness(self, seen):
        """Of what was asked, how much was granted."""
        return [Figure("streams open", seen.outcome.held, at_least=self.wanted)] if self.wanted else []

    @staticmethod
    def _pause(seen):
        """The upper bound of its bucket. In the bucket around the aim the client tells: one of its
        requests is due every few milliseconds."""
        lower, upper = longest_turn(seen.before, seen.after)
        longest = seen.times(seen.beside)[-1]
        return min(upper, max(longest, lower)) if lower < PAUSE_MILLISECONDS_MAX else upper

