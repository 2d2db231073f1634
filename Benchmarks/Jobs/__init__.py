"""The rows about work groups, in the order of their table."""

from .batch import Batch
from .hand import Hand
from .openjobs import OpenJobs
from .take import Take
from .unused import Unused

ALL = [Take(), Batch(), Hand(), OpenJobs(), Unused()]
