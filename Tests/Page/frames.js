// Measures how smoothly a page is drawn, in little memory however long it takes. Put into each page before all else.

globalThis.frames_ = {
    begin() {
        const until = { frame: 0 };
        this.counts = new Uint32Array(2001);
        this.long = { count: 0, longest: 0, script: 0, blame: '' };
        let before = 0;
        const next = now => {
            if (before) this.counts[Math.min(2000, Math.round(now - before))] += 1;
            before = now;
            until.frame = requestAnimationFrame(next);
        };
        until.frame = requestAnimationFrame(next);
        this.tasks = new PerformanceObserver(list => {
            for (const { duration } of list.getEntries()) {
                this.long.count += 1;
                this.long.longest = Math.max(this.long.longest, duration);
            }
        });
        this.tasks.observe({ type: 'longtask' });
        // Of a long frame, the time in scripts of the page itself: the rest is the browser's, or the machine's.
        this.scripts = new PerformanceObserver(list => {
            for (const { scripts } of list.getEntries()) {
                for (const { duration, sourceURL, sourceFunctionName } of scripts) {
                    if (!sourceURL.startsWith(location.origin) || duration <= this.long.script) continue;
                    this.long.script = duration;
                    this.long.blame = `${sourceFunctionName} of ${sourceURL.split('/').at(-1)}`;
                }
            }
        });
        this.scripts.observe({ type: 'long-animation-frame' });
        this.end = () => {
            cancelAnimationFrame(until.frame);
            this.tasks.disconnect();
            this.scripts.disconnect();
            return { ...this.long, ...this.shares() };
        };
    },

    /** The frame intervals in ms that so many of them are at most. */
    shares() {
        const total = this.counts.reduce((sum, count) => sum + count, 0);
        const at = share => {
            let seen = 0;
            return this.counts.findIndex(count => (seen += count) >= total * share && seen > 0);
        };
        return { frames: total, median: at(0.5), most: at(0.99), worst: at(1) };
    },
};
