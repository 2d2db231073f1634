"""The attacks of one greedy user, in the order of the table."""

from .asking import Answers, Lists, Opening, Since
from .readers import Readers
from .waiting import Heartbeats, Idle, NewTopics, Patterns, Reload

ALL = [
    Heartbeats(), Reload(), Opening(), Readers(), Answers(), Idle(), NewTopics(), Lists(), Since(), Patterns(),
]
