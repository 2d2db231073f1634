// clients.cjs KIND URL: a client of Node publishes twice to the topic, polls behind each, and prints its version.
const http = require("http");

const body = "x".repeat(100);
const cursors = ["1795251600000001", "1795251600000002"];
const packages = `${process.cwd()}/node_modules/`;

function ask(agent, url, options, sent) {
    return new Promise((resolve, reject) => {
        const request = http.request(url, { agent, ...options }, (answer) => {
            answer.on("data", () => {});
            answer.on("end", resolve);
        });
        request.on("error", reject);
        request.end(sent);
    });
}

const kinds = {
    async http(url) {
        const agent = new http.Agent({ keepAlive: true });
        for (const since of cursors) {
            const headers = { "Content-Type": "text/plain", "Content-Length": body.length };
            await ask(agent, url, { method: "POST", headers }, body);
            await ask(agent, `${url}?since=${since}`, {});
        }
        agent.destroy();
        return "http";
    },
    async fetch(url) {
        for (const since of cursors) {
            await (await fetch(url, { method: "POST", body })).text();
            await (await fetch(`${url}?since=${since}`)).text();
        }
        return `fetch (undici ${process.versions.undici ?? "?"})`;
    },
    async axios(url) {
        const { default: axios } = await import(`${packages}axios/index.js`);
        const client = axios.create({ httpAgent: new http.Agent({ keepAlive: true }) });
        for (const since of cursors) {
            await client.post(url, body);
            await client.get(url, { params: { since } });
        }
        return `axios ${axios.VERSION}`;
    },
    async node_fetch(url) {
        const { default: fetch } = require(`${packages}node-fetch`);
        const agent = new http.Agent({ keepAlive: true });
        for (const since of cursors) {
            await (await fetch(url, { method: "POST", body, agent })).text();
            await (await fetch(`${url}?since=${since}`, { agent })).text();
        }
        return `node-fetch ${require(`${packages}node-fetch/package.json`).version}`;
    },
    async got(url) {
        const got = require(`${packages}got`);
        const agent = { http: new http.Agent({ keepAlive: true }) };
        for (const since of cursors) {
            await got.post(url, { body, agent });
            await got(url, { searchParams: { since }, agent });
        }
        return `got ${require(`${packages}got/package.json`).version}`;
    },
};

kinds[process.argv[2]](process.argv[3]).then((client) => {
    console.log(`${client}, Node ${process.versions.node}`);
    process.exit(0);
});
