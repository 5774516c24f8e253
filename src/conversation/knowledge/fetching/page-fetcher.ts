/** Where documents on the web come from. */
export interface FetchedPage {
  readonly bytes: Uint8Array;
  readonly type: string;
  /** Of the file, for its ending. */
  readonly name: string;
  /** Where it was found, after redirects; absent for what was never fetched. */
  readonly url?: string;
  /** What to ask with the next time; absent for what was never fetched. */
  readonly seen?: { readonly etag: string | null; readonly last_modified: string | null };
}

export interface FetchPageOptions {
  readonly etag?: string | null;
  readonly lastModified?: string | null;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

export interface PageFetcher {
  /** Null: it has not changed since. Throws Unreadable where it can't be had. */
  fetch(url: string, order: FetchPageOptions): Promise<FetchedPage | null>;
}

/** The site does not answer now, and may later. */
export class PageUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'Unavailable';
  }
}
