export interface FetchedPage {
  readonly bytes: Uint8Array;
  readonly type: string;
  readonly name: string;
  /** The address after redirects; absent for a page that was never fetched. */
  readonly url?: string;
  /** The next request sends these for revalidation; a page that was never fetched has none. */
  readonly seen?: { readonly etag: string | null; readonly last_modified: string | null };
}

export interface FetchPageOptions {
  readonly etag?: string | null;
  readonly lastModified?: string | null;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

export interface PageFetcher {
  /** Returns null for an unchanged page. Throws UnreadableDocument where it cannot be fetched. */
  fetch(url: string, order: FetchPageOptions): Promise<FetchedPage | null>;
}

/** The site fails temporarily, so a retry may succeed. */
export class PageUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'PageUnavailable';
  }
}
