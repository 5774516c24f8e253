interface Page<T> {
  readonly data: readonly T[];
  readonly next_cursor?: string | null;
}

/**
 * Every item of a list that comes in pages:
 * `for await (const call of pages((query) => trunkline.rest.getV1OmniCalls({ query })))`.
 */
export async function* pages<T>(
  fetchPage: (query: { cursor?: string }) => Promise<Page<T>>,
): AsyncGenerator<T, void> {
  let cursor: string | null | undefined;
  do {
    const page: Page<T> = await fetchPage(cursor ? { cursor } : {});
    yield* page.data;
    cursor = page.next_cursor;
  } while (cursor);
}

/** Asks again until `done` says so: for jobs, crawls, renders and dubs. */
export async function poll<T>(
  ask: () => Promise<T>,
  done: (answer: T) => boolean,
  { everyMs = 1000, signal }: { everyMs?: number; signal?: AbortSignal } = {},
): Promise<T> {
  for (;;) {
    signal?.throwIfAborted();
    const answer = await ask();
    if (done(answer)) return answer;
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
