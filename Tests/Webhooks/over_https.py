"""`belfry push` to a receiver with a certificate of an authority of its own."""

import http.server
import os
import ssl
import subprocess
import threading
from pathlib import Path

WAIT_SECONDS = 60
SECRET = "whsec_" + "A" * 32


class SecureReceiver:
    """Answers 204 to what comes over TLS, and remembers it. Its certificate is for `localhost` alone."""

    def __init__(self, folder: Path) -> None:
        self.authority, certificate, key = make_certificate(folder)
        self.taken: list[str] = []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                outer.taken.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        class Server(http.server.ThreadingHTTPServer):
            def handle_error(self, *_: object) -> None:
                """Nobody is told of a handshake that breaks off: the test asks for it."""

        server = Server(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.port = server.server_port


def make_certificate(folder: Path) -> tuple[Path, Path, Path]:
    """An authority, a certificate that it has signed, and the key of that one."""
    def openssl(*words: str) -> None:
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)

    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=authority",
            "-keyout", "authority.key", "-out", "authority.pem")
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=receiver",
            "-keyout", "receiver.key", "-out", "receiver.csr")
    (folder / "names").write_text("subjectAltName=DNS:localhost\n")
    openssl("x509", "-req", "-days", "1", "-in", "receiver.csr", "-extfile", "names", "-CAcreateserial",
            "-CA", "authority.pem", "-CAkey", "authority.key", "-out", "receiver.pem")
    return folder / "authority.pem", folder / "receiver.pem", folder / "receiver.key"


def judge_https(programs: Path, port: int, folder: Path) -> None:
    """Nothing is sent to a receiver whose certificate is not trusted; once it is, all comes."""
    receiver = SecureReceiver(folder)
    belfry, bus = str(programs / "belfry"), ("--url", f"http://127.0.0.1:{port}")
    command = [belfry, "push", str(folder / "secure"), *bus, "--since", "earliest", "--until-now"]
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "STATE_DIRECTORY": str(folder)}
    subprocess.run([belfry, "pub", "secure", "over TLS", *bus], env=environment, check=True)

    def write(host: str) -> None:
        hooks = folder / "secure"
        hooks.touch(0o600)
        hooks.write_text(f"secure https://{host}:{receiver.port}/hook {SECRET}\n")

    def refused(*words: str) -> None:
        push = subprocess.Popen([*command, *words], env=environment, stderr=subprocess.PIPE, text=True)
        said = push.stderr.readline()
        push.terminate()
        push.stderr.read()
        code = push.wait(WAIT_SECONDS)
        if "its certificate is not trusted: " not in said or code != 0:
            raise AssertionError(f"{words}: {code}: {said}")
        if receiver.taken:
            raise AssertionError(f"{words}: the receiver has {receiver.taken}")

    trusting = ("--ca-file", str(receiver.authority))
    write("127.0.0.1")
    refused(*trusting)
    write("localhost")
    refused()
    done = subprocess.run([*command, *trusting], env=environment, capture_output=True, text=True,
                          timeout=WAIT_SECONDS)
    if done.returncode != 0 or done.stderr or len(receiver.taken) != 1 or '"over TLS"' not in receiver.taken[0]:
        raise AssertionError(f"{done}: {receiver.taken}")
    print("webhooks: over https an event came to a certificate that is trusted, and to no other one")
