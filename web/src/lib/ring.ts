/**
 * The newest `capacity` values of a stream. Writing is O(1) and allocates
 * nothing; a view is read out once per frame, however much arrived in between.
 */
export class Ring<T> {
  readonly capacity: number;
  #slots: T[] = [];
  /** Values written in all, also those overwritten since. */
  written = 0;

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  get length(): number {
    return this.#slots.length;
  }

  push(value: T): void {
    if (this.#slots.length < this.capacity) this.#slots.push(value);
    else this.#slots[this.written % this.capacity] = value;
    this.written++;
  }

  clear(): void {
    this.#slots = [];
    this.written = 0;
  }

  /** All values held, newest first. */
  newestFirst(): T[] {
    const n = this.#slots.length;
    const view = new Array<T>(n);
    for (let i = 0; i < n; i++) {
      view[i] = this.#slots[(this.written - 1 - i) % this.capacity] as T;
    }
    return view;
  }
}
