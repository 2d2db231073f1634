"""clients.py KIND URL: a client of Python publishes twice to the topic, polls behind each, and prints its version."""

import asyncio
import http.client
import io
import platform
import sys
import urllib.request
from urllib.parse import urlsplit

BODY = b"x" * 100
SINCE = ("1795251600000001", "1795251600000002")
TEXT = {"Content-Type": "text/plain"}


def http_client(url):
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc)
    for since in SINCE:
        connection.request("POST", parts.path, BODY, TEXT)
        connection.getresponse().read()
        connection.request("GET", f"{parts.path}?since={since}")
        connection.getresponse().read()
    return "http.client"


def urllib_request(url):
    for since in SINCE:
        urllib.request.urlopen(urllib.request.Request(url, BODY, TEXT)).read()
        urllib.request.urlopen(f"{url}?since={since}").read()
    return "urllib.request"


def urllib3(url):
    import urllib3
    pool = urllib3.PoolManager()
    for since in SINCE:
        pool.request("POST", url, body=BODY, headers=TEXT)
        pool.request("GET", url, fields={"since": since})
    return f"urllib3 {urllib3.__version__}"


def requests(url):
    import requests
    session = requests.Session()
    for since in SINCE:
        session.post(url, data=BODY)
        session.get(url, params={"since": since})
    return f"requests {requests.__version__}"


def httpx(url):
    import httpx
    with httpx.Client() as client:
        for since in SINCE:
            client.post(url, content=BODY)
            client.get(url, params={"since": since})
    return f"httpx {httpx.__version__}"


def aiohttp(url):
    import aiohttp

    async def run():
        async with aiohttp.ClientSession() as session:
            for since in SINCE:
                async with session.post(url, data=BODY) as answer:
                    await answer.read()
                async with session.get(url, params={"since": since}) as answer:
                    await answer.read()
    asyncio.run(run())
    return f"aiohttp {aiohttp.__version__}"


def pycurl(url):
    import pycurl
    handle = pycurl.Curl()
    handle.setopt(pycurl.WRITEDATA, io.BytesIO())
    for since in SINCE:
        handle.setopt(pycurl.URL, url)
        handle.setopt(pycurl.POSTFIELDS, BODY)
        handle.perform()
        handle.setopt(pycurl.HTTPGET, 1)
        handle.setopt(pycurl.URL, f"{url}?since={since}")
        handle.perform()
    return "pycurl " + pycurl.version.split()[0].removeprefix("PycURL/").replace('"', "")


def tornado(url):
    import tornado
    from tornado.httpclient import AsyncHTTPClient

    async def run():
        for since in SINCE:
            await AsyncHTTPClient().fetch(url, method="POST", body=BODY)
            await AsyncHTTPClient().fetch(f"{url}?since={since}")
    asyncio.run(run())
    return f"Tornado {tornado.version}"


print(f"{globals()[sys.argv[1]](sys.argv[2])}, Python {platform.python_version()}")
