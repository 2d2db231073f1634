"""Where and with what was measured."""

import datetime
import os
import pathlib
import platform
import re
import subprocess


def output(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    except OSError:
        return ""
    return (done.stdout + done.stderr).strip()


def version(pattern, *command):
    found = re.search(pattern, output(*command))
    return found[1] if found else "?"


def package(name):
    return output("dpkg-query", "-W", "-f", "${Version}", name) or "?"


def system():
    text = pathlib.Path("/etc/os-release").read_text()
    return re.search(r'PRETTY_NAME="(.*)"', text)[1]


def processor():
    found = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    return found[1] if found else platform.machine()


def moment(what, seconds):
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    return (f"{datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d %H:%M} UTC, {what} in {seconds / 60:.0f} minutes;"
            f" load average at the end {load}")


def host():
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{processor()}, {os.cpu_count()} processors, {memory:.0f} GiB; Linux {platform.release()}, {system()}"


def commit():
    return output("git", "-C", str(pathlib.Path(__file__).parent), "describe", "--always", "--dirty")


def program(daemon):
    return f"{output(str(daemon), '--version')} at {commit()}"


def listed(facts):
    return "\n".join(f"- {fact}" for fact in facts)


def describe(daemon, rounds, seconds, peers):
    """The head of the documents: a list of facts."""
    return listed([moment(f"{rounds} rounds", seconds), host(), f"{program(daemon)}; {peers}"])
