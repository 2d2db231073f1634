// What a page does that follows a selector: by an EventSource, which comes back by itself, or by a
// WebSocket, which it makes again. `take()` gives what was received since the last call.
"use strict";

const received = [];
let wake = () => {};

function receive(what) {
  received.push(what);
  wake();
}

async function take() {
  while (received.length === 0) {
    await new Promise((resolve) => { wake = resolve; });
  }
  return received.splice(0);
}

function followEvents(address, types) {
  const source = new EventSource(address);
  source.onopen = () => receive({ opened: true });
  source.onerror = () => receive({ cut: "error", isOver: source.readyState === EventSource.CLOSED });
  for (const type of ["message", "$gap", "$envelope", ...types]) {
    source.addEventListener(type, ({ lastEventId, data }) => receive({ id: lastEventId, type, data }));
  }
}

function followFrames(address, pauseMilliseconds, cursor = "now") {
  let isFirst = true;
  const socket = new WebSocket(`${address}?since=${cursor}`);
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(data);
    cursor = message.cursor ?? message.id ?? cursor;
    receive(isFirst ? { opened: true } : { message });
    isFirst = false;
  };
  socket.onclose = ({ code }) => {
    receive({ cut: `close code ${code}`, isOver: false });
    setTimeout(followFrames, pauseMilliseconds, address, pauseMilliseconds, cursor);
  };
}

Object.assign(window, { take, followEvents, followFrames });
