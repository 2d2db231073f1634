"""What a row of the table is."""

import dataclasses
import statistics


@dataclasses.dataclass(frozen=True)
class Figure:
    """What was measured once: `value` in `unit`, by `who`, with `point` of what grows."""

    unit: str
    who: str
    point: int
    value: float


@dataclasses.dataclass(frozen=True)
class Aim:
    """A bound on a figure, or on its ratio to another one of the same round."""

    unit: str
    who: str
    point: int
    over: tuple | None = None  # (who, point)
    at_most: float | None = None
    at_least: float | None = None

    @property
    def text(self):
        return f"≤ {self.at_most:g}" if self.at_most is not None else f"≥ {self.at_least:g}"

    def value(self, rounds):
        """The median over the rounds, or None where it was not measured."""
        values = [value for value in map(self._value, rounds) if value is not None]
        return statistics.median(values) if values else None

    def is_met(self, value):
        return value <= self.at_most if self.at_most is not None else value >= self.at_least

    def _value(self, figures):
        values = {(f.who, f.point): f.value for f in figures if f.unit == self.unit}
        mine = values.get((self.who, self.point))
        if mine is None or self.over is None:
            return mine
        other = values.get(self.over)
        return mine / other if other else None


class Row:
    """One row: `measure` yields its figures of one round. The first contestant is the daemon."""

    name = ""
    title = ""
    grows = ""  # what the points count
    once = False  # figures that do not vary are measured in the first round only
    note = ""
    aims = ()

    def measure(self, lab):
        raise NotImplementedError
