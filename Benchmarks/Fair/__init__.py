"""The attacks of one greedy user, in the order of the table."""

from .asking import Answers, Lists, Opening, Since
from .later import Held, Keys
from .readers import Readers
from .waiting import FewIdle, ManyIdle, NewTopics, Patterns, Reload

ALL = [
    FewIdle(), Reload(), Opening(), Readers(), Answers(), ManyIdle(), NewTopics(), Lists(), Since(), Patterns(),
    Held(), Keys(),
]
