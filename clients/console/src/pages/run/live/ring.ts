/** The measured rate of a running run and its limit over time, in arrays of fixed length: a page left open does not grow. */
export interface Rates {
  /** Instants in ms since the epoch, ascending. */
  readonly at: readonly number[];
  /** Bytes per second that the run's tasks moved; null while no task reported. */
  readonly rate: readonly (number | null)[];
  /** Bytes per second that they might move; null: unlimited. */
  readonly budget: readonly (number | null)[];
}

export const RATE_POINTS = 1_200;

/** Holds the newest `capacity` points; a further one replaces the oldest. */
export class RateRing {
  readonly #at: Float64Array;
  readonly #rate: Float64Array;
  readonly #budget: Float64Array;
  #next = 0;
  #length = 0;

  constructor(readonly capacity: number = RATE_POINTS) {
    this.#at = new Float64Array(capacity);
    this.#rate = new Float64Array(capacity);
    this.#budget = new Float64Array(capacity);
  }

  get length(): number {
    return this.#length;
  }

  /** Add a point. One that is not later than the newest replaces it, so that instants stay ascending and unique. */
  push(at: number, rate: number | null, budget: number | null): void {
    const newest = (this.#next + this.capacity - 1) % this.capacity;
    const isLater = this.#length === 0 || at > (this.#at[newest] as number);
    const index = isLater ? this.#next : newest;
    if (isLater) {
      this.#at[index] = at;
      this.#next = (this.#next + 1) % this.capacity;
      this.#length = Math.min(this.#length + 1, this.capacity);
    }
    this.#rate[index] = rate ?? Number.NaN;
    this.#budget[index] = budget ?? Number.NaN;
  }

  /** Return the points, oldest first. */
  points(): Rates {
    const start = (this.#next - this.#length + this.capacity) % this.capacity;
    const order = Array.from({ length: this.#length }, (_, index) => (start + index) % this.capacity);
    const known = (value: number) => (Number.isNaN(value) ? null : value);
    return {
      at: order.map((index) => this.#at[index] as number),
      rate: order.map((index) => known(this.#rate[index] as number)),
      budget: order.map((index) => known(this.#budget[index] as number)),
    };
  }
}
