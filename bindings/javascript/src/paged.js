// A list by pages: `await` gives one page, `for await` every item.

export class Paged {
  #fetch;
  #first;

  /** `fetch(cursor)` gives a page; undefined is the first. */
  constructor(fetch) {
    this.#fetch = fetch;
  }

  // Fetched once, however often it is awaited.
  #page() {
    this.#first ??= this.#fetch(undefined);
    return this.#first;
  }

  then(fulfilled, rejected) {
    return this.#page().then(fulfilled, rejected);
  }

  catch(rejected) {
    return this.#page().catch(rejected);
  }

  finally(settled) {
    return this.#page().finally(settled);
  }

  get [Symbol.toStringTag]() {
    return "Paged";
  }

  async *pages() {
    let page = await this.#page();
    for (;;) {
      yield page;
      if (page.cursor === undefined) {
        return;
      }
      page = await this.#fetch(page.cursor);
    }
  }

  async *[Symbol.asyncIterator]() {
    for await (const page of this.pages()) {
      yield* page.items;
    }
  }

  /** All items, or the first `most` of them. */
  async all(most = Infinity) {
    const items = [];
    for await (const item of this) {
      if (items.length >= most) {
        break;
      }
      items.push(item);
    }
    return items;
  }
}
