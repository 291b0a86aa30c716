// SPDX-License-Identifier: MIT
//
// A flock on a canvas of 1000:600. It draws frames {tick, x, y, vx, vy} and nothing between them: a bird is a dart
// that points where it flies, and its trail are the positions of the ticks before, where all of them are known.

const WIDTH = 1000;
const HEIGHT = 600;
const TRAIL_TICKS = 40;
const SHADES = 8; // of a trail, from its end to the bird
const DART = [[1, 0], [-0.7, 0.46], [-0.36, 0], [-0.7, -0.46]]; // nose to the right, in lengths
const LEAST_DART_PX = 4.2;
const DART_UNITS = 7.5;

export class FlockCanvas {
    #canvas;
    #context;
    #history = []; // frames of successive ticks, the last one is the one that is shown
    #colors = {};
    #scale = 1;
    trails = true;

    constructor(canvas) {
        this.#canvas = canvas;
        this.#context = canvas.getContext('2d');
        const recolor = () => {
            const style = getComputedStyle(canvas);
            this.#colors = { bird: style.getPropertyValue('--bird'), trail: style.getPropertyValue('--trail') };
            this.redraw();
        };
        new ResizeObserver(() => this.#resize()).observe(canvas);
        matchMedia('(prefers-color-scheme: dark)').addEventListener('change', recolor);
        recolor();
    }

    get tick() {
        return this.#history.at(-1)?.tick ?? null;
    }

    /** Shows the last of these frames; the others are part of its trails. */
    draw(frames) {
        for (const frame of frames) {
            if (frame.tick !== this.tick + 1 || frame.x.length !== this.#history[0]?.x.length) this.#history = [];
            this.#history.push(frame);
        }
        this.#history.splice(0, this.#history.length - TRAIL_TICKS - 1);
        this.redraw();
    }

    redraw() {
        const context = this.#context;
        context.setTransform(1, 0, 0, 1, 0, 0);
        context.clearRect(0, 0, this.#canvas.width, this.#canvas.height);
        if (this.#history.length === 0) return;
        context.setTransform(this.#scale, 0, 0, this.#scale, 0, 0);
        if (this.trails) this.#drawTrails();
        this.#drawBirds(this.#history.at(-1));
    }

    #resize() {
        const width = Math.round(this.#canvas.clientWidth * devicePixelRatio);
        if (width === this.#canvas.width || width === 0) return;
        this.#canvas.width = width;
        this.#canvas.height = Math.round((width * HEIGHT) / WIDTH);
        this.#scale = width / WIDTH;
        this.redraw();
    }

    #drawTrails() {
        const context = this.#context;
        const steps = this.#history.length - 1;
        context.strokeStyle = this.#colors.trail;
        context.lineWidth = Math.max(1.1, (1.1 * devicePixelRatio) / this.#scale);
        for (let shade = 0; shade < SHADES; shade++) {
            const last = steps - Math.floor((TRAIL_TICKS * (SHADES - 1 - shade)) / SHADES);
            const first = Math.max(0, steps - Math.floor((TRAIL_TICKS * (SHADES - shade)) / SHADES));
            context.globalAlpha = 0.5 * ((shade + 1) / SHADES) ** 1.6;
            context.beginPath();
            for (let i = first; i < last; i++) this.#trace(this.#history[i], this.#history[i + 1]);
            context.stroke();
        }
        context.globalAlpha = 1;
    }

    /** From where the birds were to where they were a tick later; not across the seam. */
    #trace(from, to) {
        for (let i = 0; i < to.x.length; i++) {
            if (Math.abs(to.x[i] - from.x[i]) > WIDTH / 2 || Math.abs(to.y[i] - from.y[i]) > HEIGHT / 2) continue;
            this.#context.moveTo(from.x[i], from.y[i]);
            this.#context.lineTo(to.x[i], to.y[i]);
        }
    }

    #drawBirds({ x, y, vx, vy }) {
        const length = Math.max(DART_UNITS, (LEAST_DART_PX * devicePixelRatio) / this.#scale);
        this.#context.fillStyle = this.#colors.bird;
        this.#context.beginPath();
        for (let i = 0; i < x.length; i++) {
            const speed = Math.hypot(vx[i], vy[i]);
            const [along, across] = [(length * vx[i]) / speed, (length * vy[i]) / speed];
            for (const left of seam(x[i], WIDTH, length)) {
                for (const top of seam(y[i], HEIGHT, length)) this.#dart(left, top, along, across);
            }
        }
        this.#context.fill();
    }

    #dart(x, y, along, across) {
        DART.forEach(([forward, aside], i) => {
            const point = [x + forward * along - aside * across, y + forward * across + aside * along];
            if (i === 0) this.#context.moveTo(...point);
            else this.#context.lineTo(...point);
        });
        this.#context.closePath();
    }
}

/** Where a bird is to be drawn along one axis: also on the other side when it reaches over the edge. */
function seam(at, size, reach) {
    if (at < reach) return [at, at + size];
    return at > size - reach ? [at, at - size] : [at];
}
