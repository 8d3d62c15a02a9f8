// What pairs of bodies have done to each other in the whole run: normal impulses and numbers of impacts.

export class Pairs {
  #ofBody = new Map();

  /** `columns`: the pairs with the largest impulse first. */
  constructor({ a, b, events, impulses }) {
    for (let i = 0; i < a.length; i++) {
      const pair = { events: events[i], impulse: impulses[i] };
      this.#add(a[i], { ...pair, other: b[i] });
      this.#add(b[i], { ...pair, other: a[i] });
    }
  }

  #add(body, pair) {
    if (!this.#ofBody.has(body)) this.#ofBody.set(body, []);
    this.#ofBody.get(body).push(pair);
  }

  /** Those with the largest impulse first: { other, events, impulse in N s }. */
  of(body) {
    return this.#ofBody.get(body) ?? [];
  }
}
