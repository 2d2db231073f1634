// What a page tries with a bus, each way on a topic of its own. A way that gives nothing back is
// judged from outside: by what came over the wire, and by what is in the log.
"use strict";

const SECONDS_MAX = 5;

function inTime(promise) {
  const timeout = new Promise((resolve) => { setTimeout(resolve, SECONDS_MAX * 1_000, "timeout"); });
  return Promise.race([promise, timeout]).catch((error) => String(error));
}

const publish = {
  async fetch(url) {
    return (await fetch(url, { method: "POST", body: "by fetch" })).status;
  },
  async preflight(url) {
    const headers = { "Event-Type": "page", "Content-Type": "application/json" };
    return (await fetch(url, { method: "POST", body: "{}", headers })).status;
  },
  async nocors(url) {
    return (await fetch(url, { method: "POST", body: "by no-cors", mode: "no-cors" })).type;
  },
  async beacon(url) {
    return navigator.sendBeacon(url, "by beacon");
  },
  form(url) {
    return new Promise((resolve) => {
      const frame = document.createElement("iframe");
      frame.name = `target of ${url}`;
      const form = document.createElement("form");
      Object.assign(form, { method: "post", enctype: "text/plain", action: url, target: frame.name });
      const field = document.createElement("input");
      Object.assign(field, { name: "by", value: "form" });
      form.append(field);
      document.body.append(frame, form);
      frame.onload = () => resolve("loaded");
      form.submit();
    });
  },
  websocket(url) {
    return new Promise((resolve) => {
      const socket = new WebSocket(url.replace("http:", "ws:"));
      socket.onopen = () => socket.send('{"data":"by WebSocket","ref":1}');
      socket.onmessage = ({ data }) => { if (JSON.parse(data).ref === 1) resolve("published"); };
      socket.onclose = ({ code }) => resolve(`closed ${code}`);
    });
  },
};

const subscribe = {
  async fetch(url) {
    return (await fetch(`${url}?since=earliest`)).text();
  },
  async nocors(url) {
    return (await fetch(`${url}?since=earliest`, { mode: "no-cors" })).text();
  },
  async cursor(url) {
    return (await fetch(`${url}?since=earliest`)).headers.get("Event-Cursor");
  },
  eventsource(url) {
    return new Promise((resolve) => {
      const source = new EventSource(`${url}?since=earliest&envelope=no`);
      source.onmessage = ({ data }) => { source.close(); resolve(data); };
      source.onerror = () => { source.close(); resolve("error"); };
    });
  },
  websocket(url) {
    return new Promise((resolve) => {
      const socket = new WebSocket(`${url.replace("http:", "ws:")}?since=earliest`);
      socket.onmessage = ({ data }) => { if (data.includes("topic")) resolve(JSON.parse(data).data); };
      socket.onclose = ({ code }) => resolve(`closed ${code}`);
    });
  },
};

const administer = {
  async put(url) {
    return (await fetch(url, { method: "PUT" })).status;
  },
  async remove(url) {
    return (await fetch(url, { method: "DELETE" })).status;
  },
};

// What each way gave back, by its name.
async function tryAll(bus, who) {
  const results = {};
  for (const [what, ways] of Object.entries({ publish, subscribe, administer })) {
    for (const [how, way] of Object.entries(ways)) {
      const name = `${what}-${how}-${who}`;
      const selector = what === "subscribe" ? `secret,${name}` : name;
      results[`${what} ${how}`] = await inTime(way(`${bus}/topics/${selector}`));
    }
  }
  return results;
}

Object.assign(window, { tryAll });
