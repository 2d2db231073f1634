"""The rows of the table, in its order."""

from .batches import Batches
from .fanout import EventStreams, LongPolls, WebSockets
from .idle import Idle
from .latency import Latency
from .pairs import Pairs
from .publish import Publish
from .replay import Replay
from .retained import Retained
from .selectors import Selectors
from .sqlite import Sqlite
from .start import Start
from .waking import Waking

ALL = [
    Publish(), LongPolls(), EventStreams(), WebSockets(), Pairs(), Waking(), Batches(), Latency(),
    Idle(), Selectors(), Replay(), Retained(), Start(), Sqlite(),
]
