"""The clients whose heads are recorded, and how each is run."""

import pathlib
import re
import shutil
import subprocess
import sys
import time

CLIENTS = pathlib.Path(__file__).resolve().parent / "clients"
BODY = "x" * 100
SINCE = ("1795251600000001", "1795251600000002")
JARS = "/usr/share/java"
SECONDS_MAX = 60


class Missing(Exception):
    """The client is not on this machine, or does not work here."""


def run(*command, folder=None):
    """What the command prints."""
    if not shutil.which(command[0]):
        raise Missing(f"no {command[0]}")
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=SECONDS_MAX, check=False, cwd=folder)
    except subprocess.TimeoutExpired:
        raise Missing(f"{command[0]} did not end") from None
    if done.returncode:
        raise Missing(f"{command[0]}: {(done.stderr or done.stdout).strip()[-300:]}")
    return done.stdout.strip()


class Program:
    """One of the programs in `clients`, which does all and prints its version."""

    def __init__(self, name, *command):
        self.name = name
        self.command = command

    def record(self, recorder, url, folder):
        return run(*self.command, url).splitlines()[-1]


class Prepared(Program):
    """A program for which a command makes something in a folder first, where both run."""

    def __init__(self, name, first, command):
        super().__init__(name, *command)
        self.first = first

    def record(self, recorder, url, folder):
        run(*self.first, folder=folder)
        return run(*self.command, url, folder=folder).splitlines()[-1]


class Command:
    """What people type: a command that publishes, and one that polls; `version` says what the number is of."""

    def __init__(self, name, publish, poll, version):
        self.name = name
        self.publish = publish
        self.poll = poll
        self.version = version

    def record(self, recorder, url, folder):
        run(*(part.replace("URL", url) for part in self.publish), folder=folder)
        run(*(part.replace("URL", url) for part in self.poll), folder=folder)
        return self.version.format(re.search(r"\d[\d.]+", run(self.publish[0], "--version"))[0])


class Browser:
    """A browser that loads the recorder's page, whose script does all."""

    def __init__(self, name, version, *command):
        self.name = name
        self.version = version
        self.command = command

    def record(self, recorder, url, folder):
        if not shutil.which(self.command[0]):
            raise Missing(f"no {self.command[0]}")
        process = subprocess.Popen(
            [*(part.replace("FOLDER", str(folder)) for part in self.command), url.rsplit("/topics", 1)[0] + "/"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            deadline = time.monotonic() + SECONDS_MAX
            while len(recorder.requests) < 4:
                if process.poll() is not None or time.monotonic() > deadline:
                    raise Missing(f"{self.command[0]} loaded no page")
                time.sleep(0.1)
        finally:
            process.terminate()
            process.wait()
        return re.search(self.version, run(self.command[0], "--version"))[0]


def python(name, kind):
    return Program(name, sys.executable, str(CLIENTS / "clients.py"), kind)


def node(name, kind):
    return Program(name, "node", str(CLIENTS / "clients.cjs"), kind)


def packaged(name, kind):
    """One of Debian's packages for Node, which Node finds where a folder of this name is."""
    first = ("ln", "-s", "/usr/share/nodejs", "node_modules")
    return Prepared(name, first, ("node", "--preserve-symlinks", str(CLIENTS / "clients.cjs"), kind))


def java(name, kind):
    return Program(name, "java", str(CLIENTS / "Clients.java"), kind)


def jars(name, source, *names):
    path = ":".join(f"{JARS}/{jar}.jar" for jar in names)
    return Program(name, "java", "-cp", path, str(CLIENTS / source))


def polls(*options):
    return (*options, *(f"URL?since={since}" for since in SINCE))


ALL = [
    Command("curl", ("curl", "-sS", "--data-binary", BODY, "URL", "URL"), polls("curl", "-sS"), "curl {}"),
    Command(
        "wget", ("wget", "-qO-", "--post-data", BODY, "URL", "URL"), polls("wget", "-qO-"), "Wget {}"),
    Command(
        "httpie", (f"{sys.prefix}/bin/http", "--ignore-stdin", "POST", "URL", "Content-Type:text/plain", "--raw", BODY),
        (f"{sys.prefix}/bin/http", "--ignore-stdin", "GET", "URL", f"since=={SINCE[1]}"), "HTTPie {}"),
    python("python-http-client", "http_client"),
    python("python-urllib", "urllib_request"),
    python("python-urllib3", "urllib3"),
    python("python-requests", "requests"),
    python("python-httpx", "httpx"),
    python("python-aiohttp", "aiohttp"),
    python("python-pycurl", "pycurl"),
    python("python-tornado", "tornado"),
    node("node-http", "http"),
    node("node-fetch", "fetch"),
    packaged("node-axios", "axios"),
    packaged("node-node-fetch", "node_fetch"),
    packaged("node-got", "got"),
    Prepared("go", ("go", "build", "-o", "clients", str(CLIENTS / "clients.go")), ("sh", "-c", 'exec ./clients "$1"', "sh")),
    java("java-http-client", "http_client"),
    java("java-http-client-1.1", "http_client_1"),
    java("java-url-connection", "url_connection"),
    jars("java-apache", "Apache.java", "httpclient5", "httpcore5", "httpcore5-h2", "slf4j-api"),
    jars("java-okhttp", "OkHttp.java", "okhttp", "okio"),
    Program("ruby-net-http", "ruby", str(CLIENTS / "clients.rb"), "net_http"),
    Program("ruby-faraday", "ruby", str(CLIENTS / "clients.rb"), "faraday"),
    Program("ruby-httparty", "ruby", str(CLIENTS / "clients.rb"), "httparty"),
    Program("php-curl", "php", str(CLIENTS / "clients.php"), "curl"),
    Program("php-stream", "php", str(CLIENTS / "clients.php"), "stream"),
    Program("perl-http-tiny", "perl", str(CLIENTS / "clients.pl"), "http_tiny"),
    Program("perl-lwp", "perl", str(CLIENTS / "clients.pl"), "lwp"),
    Program("perl-mojo", "perl", str(CLIENTS / "clients.pl"), "mojo"),
    Prepared(
        "erlang-httpc", ("erlc", str(CLIENTS / "clients.erl")),
        ("erl", "-noshell", "-run", "clients", "main")),
    Browser(
        "chromium", r"Chromium [\d.]+", "chromium", "--headless=new", "--no-sandbox", "--disable-gpu",
        "--user-data-dir=FOLDER/chromium"),
    Browser("firefox", r"Firefox [\d.]+\w*", "firefox-esr", "--headless", "--no-remote", "--profile", "FOLDER"),
]
