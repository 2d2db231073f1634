"""The rows of the table, in its order."""

from .batches import Batches
from .fanout import EventStreams, LongPolls, WebSockets
from .idle import Idle
from .latency import Latency
from .mixed import MixedHeads
from .oneshot import OneshotPoll, OneshotPublish
from .pairs import Pairs
from .publish import ParsedPublish, Publish
from .replay import Replay
from .retained import Retained
from .selectors import Selectors
from .sizes import Sizes
from .sqlite import Commits, Sqlite
from .start import Start
from .unix import Unix
from .waking import Waking

ALL = [
    Publish(), ParsedPublish(), OneshotPublish(), OneshotPoll(), MixedHeads(), Unix(), LongPolls(), EventStreams(), WebSockets(), Sizes(),
    Pairs(), Waking(), Batches(), Latency(), Idle(), Selectors(), Replay(), Retained(), Start(), Sqlite(),
    Commits(),
]
