"""The network of another process."""

import ctypes
import os

CLONE_NEWNET = 0x4000_0000


def enter(pid: int) -> None:
    """Makes the loopback of a process that of this thread, and of all that it starts from now."""
    with open(f"/proc/{pid}/ns/net", "rb") as network:
        if ctypes.CDLL(None, use_errno=True).setns(network.fileno(), CLONE_NEWNET) != 0:
            code = ctypes.get_errno()
            raise OSError(code, f"the network of process {pid}: {os.strerror(code)}")
