"""Proxies by others, each with its file of proxies/ and as little around it as makes it start."""

from pathlib import Path

from program import Program

ROOT = Path(__file__).resolve().parents[2]
CERTIFICATE = "/etc/ssl/private/bus.example.pem"
SOCKET = "/run/belfry/belfry.sock"

NGINX = """\
daemon off;
master_process off;
pid nginx.pid;
error_log stderr;
events {{ }}
http {{
    access_log off;
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    include {file};
}}
"""

MODULES = ("mpm_event", "authz_core", "socache_shmcb", "ssl", "http2", "proxy", "proxy_http")

APACHE = """\
ServerRoot {folder}
PidFile apache.pid
Mutex file:{folder}
ErrorLog {folder}/error.log
ServerName localhost
User {user}
Group {group}
Listen 443
{modules}
Include {file}
"""


class Proxy:
    """One of them, in a folder of its own."""

    name = ""
    file = ""
    notices_leaving = True
    """Whether it gives up the request of a client that has left."""

    takes_cookies = False
    """Whether it makes a token of a cookie."""

    def __init__(self, folder: Path, replaced: list[tuple[str, str]]) -> None:
        """`replaced` are pieces of its file, and what stands in their place."""
        self.folder = folder
        self.log = folder / "log.txt"
        text = (ROOT / "proxies" / self.file).read_text()
        for piece, other in replaced:
            if piece not in text:
                raise RuntimeError(f"proxies/{self.file} has no {piece!r}")
            text = text.replace(piece, other)
        for place in (CERTIFICATE, SOCKET):
            text = text.replace(place, str(folder / Path(place).name))
        self.set_up = folder / self.file
        self.set_up.write_text(text)

    def program(self) -> Program:
        """The program to start."""
        raise NotImplementedError

    def _started(self, *command: str | Path) -> Program:
        if Path("/proc/self/uid_map").read_text().split()[2] == "1":
            # An ordinary user is root here, and has no other to become: show it another number.
            command = ("unshare", "--user", "--map-user=1", "--map-group=1", *command)
        return Program(self.log, *command)


class Nginx(Proxy):
    """nginx, which includes the file as its own configuration does with conf.d."""

    name, file = "nginx", "nginx.conf"
    takes_cookies = True

    def program(self) -> Program:
        around = self.folder / "around.conf"
        around.write_text(NGINX.format(file=self.set_up))
        return self._started("nginx", "-p", self.folder, "-c", around, "-e", "stderr")


class HAProxy(Proxy):
    """HAProxy with this file alone."""

    name, file = "HAProxy", "haproxy.cfg"

    def program(self) -> Program:
        return self._started("haproxy", "-db", "-f", self.set_up)


class Caddy(Proxy):
    """Caddy with this file alone."""

    name, file = "Caddy", "Caddyfile"

    def program(self) -> Program:
        return self._started("caddy", "run", "--adapter", "caddyfile", "--config", self.set_up)


class Apache(Proxy):
    """Apache with the modules that a2enmod would enable."""

    name, file = "Apache", "apache.conf"
    notices_leaving = False

    def program(self) -> Program:
        around = self.folder / "around.conf"
        around.write_text(APACHE.format(
            folder=self.folder, file=self.set_up, user="nobody", group="nogroup",
            modules="\n".join(
                f"LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so"
                for name in MODULES)))
        return self._started("apache2", "-D", "FOREGROUND", "-f", around)


KINDS: list[type[Proxy]] = [Nginx, HAProxy, Caddy, Apache]
