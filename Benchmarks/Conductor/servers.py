"""The daemon and its peers, as processes of this run: each on a free port of loopback."""

import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import time
import urllib.request


class Broken(Exception):
    """A row that did not do what it is to measure."""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """A process that serves on `port` inside `with`; `pid` is the one that does the work."""

    # What `fan` has to know to publish to and to follow the topics t0, t1, …
    publish_path = "/pub/t{topic}"
    subscribe_path = "/sub/t{topic}"
    next_poll = ("Last-Modified>If-Modified-Since", "Etag>If-None-Match")
    # The file to run where it is not the command's first word.
    executable = None

    def __init__(self, name, folder, command, environment=None):
        self.name = name
        self.folder = pathlib.Path(folder)
        self.command = command
        self.environment = environment
        self.port = 0

    def __enter__(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        return self.start()

    def start(self):
        self.port = self.port or free_port()
        self.prepare()
        self.began = time.monotonic()
        with open(self.folder / "log", "wb") as log:
            self.process = subprocess.Popen(
                [part.replace("@PORT@", str(self.port)) for part in self.command],
                executable=self.executable, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder,
                env=dict(os.environ, **(self.environment or {})))
        try:
            self.wait_until_ready()
        except BaseException:
            self.stop()
            raise
        self.pid = self.worker()
        return self

    def prepare(self):
        """Writes what the process reads at its start."""

    def wait_until_ready(self):
        deadline = time.monotonic() + 20
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                self.refuse_to_wait(deadline)
                time.sleep(0.01)

    def refuse_to_wait(self, deadline):
        if self.process.poll() is not None or time.monotonic() > deadline:
            said = (self.folder / "log").read_text(errors="replace")
            raise Broken(f"{self.name} did not start: {said[-400:]}")

    def worker(self):
        return self.process.pid

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def resident_bytes(self):
        status = pathlib.Path(f"/proc/{self.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) * 1024

    def cpu_ns(self):
        """Processor time of all its threads so far, the kernel's in its name included."""
        return self.scheduled_ns(0)

    def scheduled_ns(self, column):
        """A column of `schedstat`, over all its threads: the time that they ran, or were ready and did not."""
        tasks = pathlib.Path(f"/proc/{self.pid}/task").glob("*/schedstat")
        return sum(int(task.read_text().split()[column]) for task in tasks)

    def wait_until_idle(self):
        """Returns that time once it has hardly grown for a tenth of a second."""
        time_before, quiet = self.cpu_ns(), 0
        for _ in range(500):
            time.sleep(0.02)
            time_now = self.cpu_ns()
            quiet = quiet + 1 if time_now - time_before < 200_000 else 0
            time_before = time_now
            if quiet == 5:
                return time_now
        raise Broken(f"{self.name} is not idle after 10 s")


class Belfry(Server):
    """belfryd, with limits that let every row in. `wrap` is a command to run it under. With
    `has_socket` it listens at the unix socket `socket` too."""

    protocol = "http"
    publish_path = "/topics/t{topic}"
    subscribe_path = "/topics/t{topic}"
    next_poll = ("Event-Cursor>?since",)
    limits = {
        "BELFRY_HTTP_CONNECTIONS": "19500",
        "BELFRY_POLL_SUBSCRIBERS": "19500",
        "BELFRY_BUS_TOPICS": "200000",
        "BELFRY_HTTP_CONNECTIONS_PER_UID": "19500",
        "BELFRY_POLL_SUBSCRIBERS_PER_UID": "19500",
        "BELFRY_BUS_TOPICS_PER_UID": "200000",
        "BELFRY_POLL_WAIT_DEFAULT": "10m",
    }

    def __init__(self, folder, binary, store="memory", settings=None, wrap=(), has_socket=False):
        settings = {f"BELFRY_{key.upper()}": str(value) for key, value in (settings or {}).items()}
        super().__init__(
            "belfryd", folder,
            [*wrap, str(binary), "--listen", "127.0.0.1:0", "--store", store],
            {**self.limits, **settings, "BELFRY_STORE_STATE_DIRECTORY": f"{folder}/state"})
        self.socket = f"{folder}/socket"
        if has_socket:
            self.command += ["--listen", f"unix:{self.socket}"]

    def wait_until_ready(self):
        deadline = time.monotonic() + 60
        while not (ready := re.search(r"ready tcp=127\.0\.0\.1:(\d+)", (self.folder / "log").read_text())):
            self.refuse_to_wait(deadline)
            time.sleep(0.0005)
        self.ready_seconds = time.monotonic() - self.began
        self.port = int(ready[1])

    def counted_bytes(self):
        """The memory that the daemon itself counts for events and topics."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=20) as page:
            figures = re.findall(r'^belfry_memory_bytes\{use="(?:events|topics)"\} (\d+)', page.read().decode(), re.MULTILINE)
        return sum(map(int, figures))


class Nchan(Server):
    """nginx with nchan, one worker. `wrap` is a command to run it under."""

    def __init__(self, folder, template, wrap=()):
        nginx = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
        super().__init__("nchan", folder, [*wrap, nginx, "-p", str(folder), "-c", "nginx.conf"])
        self.template = template

    def prepare(self):
        text = self.template.read_text().replace("@PORT@", str(self.port))
        (self.folder / "nginx.conf").write_text(text)

    def worker(self):
        main = self.process.pid
        deadline = time.monotonic() + 10
        while not (children := pathlib.Path(f"/proc/{main}/task/{main}/children").read_text().split()):
            self.refuse_to_wait(deadline)
            time.sleep(0.01)
        return int(children[0])


class Beanstalkd(Server):
    """beanstalkd with its log of jobs, synced at most once a second."""

    protocol = "bean"

    def __init__(self, folder):
        super().__init__(
            "beanstalkd", folder, ["beanstalkd", "-l", "127.0.0.1", "-p", "@PORT@", "-b", str(folder), "-f", "1000"])


class Redis(Server):
    """redis-server with its append-only file, synced once a second."""

    protocol = "redis"

    def __init__(self, folder):
        # The server and the checker of its files are one program, which goes by its name.
        super().__init__(
            "redis-server", folder,
            ["redis-server", "--port", "@PORT@", "--bind", "127.0.0.1", "--dir", str(folder), "--save", "",
             "--appendonly", "yes", "--appendfsync", "everysec"])
        self.executable = shutil.which("redis-check-rdb")


class JetStream(Server):
    """nats-server with a stream in its file."""

    protocol = "nats"

    def __init__(self, folder):
        super().__init__("JetStream", folder, ["nats-server", "-c", "nats.conf"])

    def prepare(self):
        (self.folder / "nats.conf").write_text(
            f'listen: 127.0.0.1:{self.port}\njetstream {{ store_dir: "{self.folder}/store" }}\n')
