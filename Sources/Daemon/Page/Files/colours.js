// Colours of names: every topic and every type has its own, the same each time. A type that says how
// something ended is green or red.

/** Hues that types without an outcome share: those of green and red are left out. */
const HUES = [[65, 110], [190, 340]];

/** Last words of types that say an outcome. */
const GOOD = new Set([
    'done', 'ok', 'success', 'succeeded', 'passed', 'completed', 'resolved', 'recovered', 'up', 'healthy',
]);
const BAD = new Set([
    'failed', 'failure', 'error', 'dead', 'timeout', 'expired', 'rejected', 'refused', 'crashed', 'killed',
    'aborted', 'fatal', 'critical', 'panic', 'down', 'unhealthy', 'firing',
]);
const NOT = new Set(['not', 'no', 'non']);

/** The end of a run (`belfry run`) is as good as its exit code. A longer payload is not looked at. */
const RUN_MAX = 65536;

/** The hue of a topic, in degrees. */
export function hueOf(name) {
    return String(hashOf(name) / 10);
}

/**
 * How the type of an event is shown.
 * @returns {{text: string, mood: string, hue: string}} `mood` is 'ok', 'bad' or empty
 */
export function typeLook(event) {
    const { type } = event;
    const exit = type === 'ended' ? exitOf(event) : null;
    if (exit !== null) return { text: `${type}, exit ${exit}`, mood: exit === 0 ? 'ok' : 'bad', hue: '0' };
    return { text: type, mood: moodOf(type), hue: typeHue(type) };
}

/** The mood of the last word: that of `build.failed`, `JobFailed` and `failed` is the same. */
function moodOf(type) {
    const words = type.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase().match(/[a-z]+/g) ?? [];
    const last = words.at(-1);
    const isNot = words.some(word => NOT.has(word));
    if (GOOD.has(last)) return isNot ? 'bad' : 'ok';
    return BAD.has(last) && !isNot ? 'bad' : '';
}

function exitOf({ kind, text }) {
    if (kind !== 'json' || text.length > RUN_MAX) return null;
    const { command, exit } = JSON.parse(text) ?? {};
    return Array.isArray(command) && Number.isInteger(exit) ? exit : null;
}

function typeHue(type) {
    let place = hashOf(type) / 3600 * HUES.reduce((sum, [from, to]) => sum + to - from, 0);
    for (const [from, to] of HUES) {
        if (place < to - from) return String(Math.round(from + place));
        place -= to - from;
    }
    return String(HUES[0][0]);
}

/** 0 to 3,599. */
function hashOf(name) {
    let sum = 0;
    for (let index = 0; index < name.length; index += 1) sum = (sum * 31 + name.charCodeAt(index)) % 3600;
    return sum;
}
